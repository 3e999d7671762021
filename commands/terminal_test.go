//go:build linux || darwin

package commands

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// desk is a terminal with a person at it and one program, whose stdout is
// captured as agents do.
type desk struct {
	t      *testing.T
	cmd    *exec.Cmd
	keys   *os.File // the person's side
	stdout bytes.Buffer

	mu     sync.Mutex
	screen bytes.Buffer
	ended  chan struct{} // the output is complete
}

// sit opens a terminal and starts a program. before may change the terminal
// first.
func sit(t *testing.T, binary, store string, before func(keys, tty *os.File), args ...string) *desk {
	t.Helper()
	return sitAs(t, &syscall.SysProcAttr{Setsid: true, Setctty: true}, binary, store, before, args...)
}

func sitAs(t *testing.T, as *syscall.SysProcAttr, binary, store string, before func(keys, tty *os.File),
	args ...string) *desk {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	// Not blocking, so that closing the terminal ends a read.
	fd, err := syscall.Dup(int(keys.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd) // otherwise the program keeps its own terminal open
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	keys.Close()
	keys = os.NewFile(uintptr(fd), "keys")
	d := &desk{t: t, keys: keys, ended: make(chan struct{})}
	if before != nil {
		before(keys, tty)
	}
	d.cmd = exec.Command(args[0], args[1:]...)
	d.cmd.Env = []string{"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "TECHO_STORE=" + store,
		"LANG=ja_JP.UTF-8", "USER=tanaka", "HOME=" + filepath.Dir(store)}
	d.cmd.Stdin, d.cmd.Stderr, d.cmd.Stdout = tty, tty, &d.stdout
	d.cmd.SysProcAttr = as
	hearHangups(t)
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go func() {
		defer close(d.ended)
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			d.mu.Lock()
			d.screen.Write(buf[:n])
			d.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { d.cmd.Process.Kill(); keys.Close() })
	return d
}

// hearHangups makes started programs receive hangups, also if the test runs under
// nohup.
func hearHangups(t *testing.T) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
}

func (d *desk) seen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.screen.String()
}

// see waits for a text on the screen.
func (d *desk) see(text string) {
	d.t.Helper()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(d.seen(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatalf("%q is not on the screen:\n%q", text, d.seen())
		}
	}
}

func (d *desk) typeIn(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.keys, text); err != nil {
		d.t.Fatal(err)
	}
}

// leaves waits until the program ends, and returns its document.
func (d *desk) leaves(code int) map[string]any {
	d.t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { d.cmd.Process.Kill() })
	defer timer.Stop()
	d.cmd.Wait()
	select {
	case <-d.ended: // the last output may
	case <-time.After(time.Second): // another process has the
	}
	if got := d.cmd.ProcessState.ExitCode(); got != code {
		d.t.Errorf("exit %d, want %d\n%s\n%q", got, code, d.stdout.String(), d.seen())
	}
	return d.document()
}

func (d *desk) document() map[string]any {
	d.t.Helper()
	var document map[string]any
	if err := json.Unmarshal(d.stdout.Bytes(), &document); err != nil {
		d.t.Fatalf("stdout is not one document: %v\n%q", err, d.stdout.String())
	}
	return document
}

func wantFields(t *testing.T, got map[string]any, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, want %v in %v", name, got[name], value, got)
		}
	}
}

// TestAskTerminal types answers as a person does: what each means is tested in tools/ask.
func TestAskTerminal(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	prompt, again := "選択 (番号): ", "1〜3 の番号を入力してください"
	three := []string{"--option", "はい", "--option", "いいえ", "--option", "2つだけ"}
	for name, c := range map[string]struct {
		args  []string
		typed []string
		again bool
		code  int
		want  map[string]any
	}{
		"a number": {three, []string{"1\n"}, false, 0,
			map[string]any{"status": "answered", "answer": "はい", "index": 1.0, "source": "option", "by": "tanaka",
				"via": "tty"}},
		"out of range": {three, []string{"4\n", "3\n"}, true, 0, map[string]any{"answer": "2つだけ", "index": 3.0}},
		"Ctrl-D":       {three, []string{"\x04"}, false, 130, map[string]any{"status": "declined", "answer": ""}},
		"Ctrl-C":       {three, []string{"\x03"}, false, 130, map[string]any{"status": "cancelled", "answer": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil,
				append([]string{binary, "ask", "消しますか？"}, c.args...)...)
			d.see("\n[ASK USER] 消しますか？\r\n  1. はい\r\n  2. いいえ\r\n  3. 2つだけ\r\n" + prompt)
			for i, text := range c.typed {
				for end := time.Now().Add(5 * time.Second); strings.Count(d.seen(), prompt) <= i &&
					time.Now().Before(end); {
					time.Sleep(5 * time.Millisecond)
				}
				d.typeIn(text)
			}
			wantFields(t, d.leaves(c.code), c.want)
			if strings.Contains(d.seen(), again) != c.again {
				t.Errorf("asked again: %v\n%q", !c.again, d.seen())
			}
		})
	}
}

func TestAskTerminalFree(t *testing.T) {
	binary := buildTwo(t)
	d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil,
		binary, "ask", "どの形式で？", "--default", "CSV")
	d.see("\n[ASK USER] どの形式で？\r\n回答: ")
	help := "Enter で回答、Ctrl-D で回答を断ります。" +
		"既定値は質問の期限が切れたときだけ使われます: CSV"
	d.see("\n（" + help + "）\r\n[ASK USER]")
	d.typeIn("\n") // silence is not the default
	d.see("回答: \r\n何も入力されていません。" + help + "\r\n回答: ")
	d.typeIn("1\n")
	wantFields(t, d.leaves(0), map[string]any{"answer": "1", "index": 0.0, "source": "free"})
}

// TestAskTerminalHarmless prints a question with control sequences for the
// terminal.
func TestAskTerminalHarmless(t *testing.T) {
	binary := buildTwo(t)
	d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, binary, "ask",
		"a\x1b[2J\x1b]52;c;eA==\x07\u202eb\u0085c\rd", "--option", "\x1b[31mred")
	d.see("選択")
	d.typeIn("1\n")
	d.leaves(0)
	if screen := d.seen(); strings.ContainsAny(screen, "\x1b\x07\u202e\u0085") {
		t.Errorf("sent to the terminal: %q", screen)
	}
}

// TestAskTerminalUnsafe checks that a question is queued when a prompt would
// compete for keys, stop the process, or fail.
func TestAskTerminalUnsafe(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	pending := map[string]any{"status": "pending", "question_id": "q1", "hint": "techo ask wait q1"}
	t.Run("a full-screen agent's", func(t *testing.T) {
		raw := func(_, tty *os.File) {
			if _, err := term.MakeRaw(int(tty.Fd())); err != nil {
				t.Fatal(err)
			}
		}
		d := sit(t, binary, filepath.Join(t.TempDir(), "store"), raw, binary, "ask", "Q", "--wait", "0.3")
		d.typeIn("1\n")
		wantFields(t, d.leaves(6), pending)
		if d.seen() != "" {
			t.Errorf("wrote to it: %q", d.seen())
		}
	})
	t.Run("in the background", func(t *testing.T) {
		d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, "bash", "-c",
			"set -m; techo ask Q --wait 0.3 & wait $!")
		wantFields(t, d.leaves(6), pending)
		if strings.Contains(d.seen(), "ASK USER") {
			t.Errorf("wrote to it: %q", d.seen())
		}
	})
	t.Run("none", func(t *testing.T) {
		cmd := exec.Command(binary, "ask", "Q", "--option", "a", "--wait", "0", "--store",
			filepath.Join(t.TempDir(), "store"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdin = strings.NewReader("1\n") // a pipe contains no
		out, _ := cmd.Output()
		if cmd.ProcessState.ExitCode() != 6 || !bytes.Contains(out, []byte(`"status":"pending"`)) {
			t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
		}
		cmd = exec.Command(binary, "ask", "Q", "--via", "tty", "--store", filepath.Join(t.TempDir(), "store"))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ = cmd.Output()
		if cmd.ProcessState.ExitCode() != 4 || !bytes.Contains(out, []byte(`"code":"unavailable"`)) {
			t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
		}
	})
}

// TestAskTerminalTypeAhead checks that input before the question is discarded.
func TestAskTerminalTypeAhead(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	early := func(keys, _ *os.File) { io.WriteString(keys, "1\ny\n") }
	d := sit(t, binary, filepath.Join(t.TempDir(), "store"), early, binary, "ask", "Q", "--option", "a", "--option",
		"b")
	d.see("選択 (番号): ")
	d.typeIn("2\n")
	wantFields(t, d.leaves(0), map[string]any{"index": 2.0})
}

// TestAskTerminalLost checks that the question stays when the asker is gone.
func TestAskTerminalLost(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	for name, lose := range map[string]func(d *desk){
		"SIGKILL": func(d *desk) { d.cmd.Process.Kill() },
		"closed":  func(d *desk) { d.keys.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "store")
			d := sit(t, binary, store, nil, binary, "ask", "Q", "--option", "a", "--wait", "3s")
			d.see("選択")
			lose(d)
			d.cmd.Wait()
			for _, step := range []struct {
				line string
				want string
			}{
				{"techo ask wait q1 --wait 0; test $? = 6", `"status":"pending"`},
				{"person ask answer q1 1", `"status":"answered"`},
				{"techo ask wait q1", `"answer":"a"`},
			} {
				out, err := shell(filepath.Dir(store), binary, "export TECHO_STORE="+store+"; "+step.line)
				if err != nil || !strings.Contains(out, step.want) {
					t.Errorf("%s: %v\n%s", step.line, err, out)
				}
			}
		})
	}
}

// TestAskTerminalElsewhere checks that the prompt ends when another process
// answers.
func TestAskTerminalElsewhere(t *testing.T) {
	binary := buildTwo(t)
	store := filepath.Join(t.TempDir(), "store")
	d := sit(t, binary, store, nil, binary, "ask", "Q", "--option", "a", "--option", "b")
	d.see("選択")
	d.typeIn("half a li")
	if out, err := shell(filepath.Dir(store), binary, "person ask answer q1 2 --store "+store); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantFields(t, d.leaves(0), map[string]any{"index": 2.0, "via": "command"})
	if !strings.Contains(d.seen(), "（他で回答されました）") {
		t.Errorf("the person was not told: %q", d.seen())
	}
}
