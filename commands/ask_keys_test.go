//go:build linux || darwin

package commands

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"techo/commands/system"
	"techo/internal/testenv"
)

// TestAskKeys sends what terminals send, beside the characters that a person types.
// Nothing of it becomes an answer by accident.
func TestAskKeys(t *testing.T) {
	binary := buildTwo(t)
	yesNo := []string{"--option", "Yes", "--option", "No"}
	three := []string{"--option", "a", "--option", "b", "--option", "c", "--multiple"}
	open := map[string]any{"status": "cancelled", "answer": "", "source": ""}
	for name, c := range map[string]struct {
		args  []string
		typed []string
		code  int
		want  map[string]any
	}{
		"Down":             {yesNo, []string{"\x1b[B\r"}, 0, map[string]any{"answer": "Yes", "index": 1.0}},
		"Down, Down":       {yesNo, []string{"\x1bOB", "\x1b[B", "\r"}, 0, map[string]any{"answer": "No"}},
		"Up":               {yesNo, []string{"\x1b", "[A", "\r"}, 0, map[string]any{"answer": "No", "index": 2.0}},
		"yes":              {yesNo, []string{"yes\r"}, 0, map[string]any{"answer": "Yes", "source": "option"}},
		"n":                {yesNo, []string{"N\r"}, 0, map[string]any{"answer": "No", "source": "option"}},
		"1 3":              {three, []string{"1 3\r"}, 0, map[string]any{"answer": "a, c", "source": "option"}},
		"1, then arrows":   {three, []string{"1 ", "\x1b[B", "\x1b[B\r"}, 0, map[string]any{"answer": "a, c"}},
		"Enter alone":      {yesNo, []string{"\r", "\r", "\x03"}, 130, open},
		"Esc":              {yesNo, []string{"\x1b", "\r", "\x03"}, 130, open},
		"focus and mouse":  {yesNo, []string{"\x1b[I\x1b[O\x1b[M !!\x1b[<0;1;1M\r", "\x03"}, 130, open},
		"reports":          {yesNo, []string{"\x1b[1;1R\x1b]11;rgb:1/1/1\x07\x1bP1$r1m\x1b\\\r", "\x03"}, 130, open},
		"a paste":          {nil, []string{"\x1b[200~Yes\rNo\r\x1b[201~", "\x03"}, 130, open},
		"an old paste":     {yesNo, []string{"1\r2\r", "\x03"}, 130, open},
		"a paste, Enter":   {nil, []string{"\x1b[200~Yes\rNo\r\x1b[201~", "\r"}, 0, map[string]any{"answer": "Yes No"}},
		"Ctrl-D in a line": {yesNo, []string{"Yes\x04", "\x04", "\x03"}, 130, open},
		"Ctrl-D":           {yesNo, []string{"\x04"}, 130, map[string]any{"status": "declined"}},
		"combining":        {nil, []string{"e\u0301か\u3099\x7fx\r"}, 0, map[string]any{"answer": "e\u0301x"}},
		"half a character": {nil, []string{"\xe6\x9d", "\xb1\r"}, 0, map[string]any{"answer": "東"}},
	} {
		for _, terminal := range []string{"xterm-256color", "dumb"} {
			t.Run(name+" on "+terminal, func(t *testing.T) {
				t.Parallel()
				args := append([]string{"env", "TERM=" + terminal, "NO_COLOR=1", binary, "ask", "Q"}, c.args...)
				d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, args...)
				d.see(": ")
				for _, text := range c.typed {
					time.Sleep(150 * time.Millisecond) // a burst of its own
					d.typeIn(text)
				}
				if c.code == 130 { // on a busy machine a new prompt may discard the first Ctrl-C
					go d.repeats("\x03")
				}
				wantFields(t, d.leaves(c.code), c.want)
				if terminal == "dumb" && strings.Contains(d.seen(), "\x1b") {
					t.Errorf("sent to a dumb terminal: %q", d.seen())
				}
				if !d.echo() {
					t.Error("the terminal is left without echo")
				}
			})
		}
	}
}

// repeats types a text each second until the program ends.
func (d *desk) repeats(text string) {
	for {
		select {
		case <-d.ended:
			return
		case <-time.After(time.Second):
			_, _ = io.WriteString(d.keys, text)
		}
	}
}

// TestAskHelp prints what the keys do, the default, and that it was used.
func TestAskHelp(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, "env", "TERM=xterm", binary, "ask", "Q", "--option",
		"CSV", "--option", "JSON", "--default", "CSV", "--expires", "3s", "--lang", "en")
	for _, text := range []string{"a number or a text", "Other words are an answer too",
		"Enter answers; Ctrl-D declines",
		"the\r\ndefault counts: CSV", "(No answer in time; the default was used (CSV))"} {
		d.see(text)
	}
	wantFields(t, d.leaves(0), map[string]any{"answer": "CSV", "source": "default"})
}

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
