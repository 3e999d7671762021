//go:build linux || darwin

package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"techo/commands/system"
	"techo/internal/testenv"
)

// TestAskTwice asks two questions on one terminal at once: only one of them gets the
// keys.
func TestAskTwice(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	store := filepath.Join(t.TempDir(), "store")
	second, ended := filepath.Join(filepath.Dir(store), "second"), filepath.Join(filepath.Dir(store), "ended")
	d := sit(t, binary, store, nil, "sh", "-c", "techo ask First --wait 60 -o text & until [ -e "+second+" ]; do "+
		"sleep 0.05; done; techo ask Second --wait 0.5 --fields status; touch "+ended+"; wait")
	d.see("First")
	d.see("回答: ")
	if err := os.WriteFile(second, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	testenv.Eventually(t, func() bool { _, err := os.Stat(ended); return err == nil })
	d.typeIn("one\r")
	d.cmd.Wait()
	if out := d.stdout.String(); out != "{\"status\":\"pending\"}\none\n" || strings.Contains(d.seen(), "Second") {
		t.Errorf("%s\n%q", out, d.seen())
	}
}

// TestAskTaken lets another program take the terminal and give it back. Meanwhile no
// key is read, and what was typed before is no answer.
func TestAskTaken(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, "env", "TERM=xterm", binary, "ask", "Q")
	d.see("回答: ")
	d.typeIn("before")
	d.see("before")
	other, err := d.keys.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	set := func(change func(mode *unix.Termios)) {
		err := other.Control(func(fd uintptr) {
			mode, err := unix.IoctlGetTermios(int(fd), system.GetTermios)
			if err == nil {
				change(mode)
				err = unix.IoctlSetTermios(int(fd), system.SetTermios, mode)
			}
			if err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	before := d.seen()
	set(func(mode *unix.Termios) { mode.Lflag |= unix.ECHO; mode.Lflag &^= unix.ICANON })
	testenv.Eventually(t, func() bool { return d.seen() != before }) // it has noticed, and ended its line
	d.typeIn("meanwhile\r")
	d.see("meanwhile")
	set(func(mode *unix.Termios) { mode.Lflag |= unix.ECHO | unix.ICANON })
	testenv.Eventually(t, func() bool { // the question is shown again
		return strings.Count(d.seen(), "[ASK USER]") == 2 && !d.echo()
	})
	d.typeIn("after\r")
	wantFields(t, d.leaves(0), map[string]any{"answer": "after"})
}
