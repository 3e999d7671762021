//go:build linux || darwin

package commands

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"techo/commands/system"
)

// TestAskSignals ends asking by signals, with and without a terminal: the
// document names the open question.
func TestAskSignals(t *testing.T) {
	t.Parallel()
	hearHangups(t)
	binary := buildTwo(t)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		d := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, binary, "ask", "Q")
		d.see("回答: ")
		d.cmd.Process.Signal(sig)
		problem, _ := d.leaves(130)["error"].(map[string]any)
		wantFields(t, problem, map[string]any{"code": "cancelled", "hint": "techo ask wait q1"})
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM} {
		dir := t.TempDir()
		cmd := exec.Command(binary, "ask", "Q", "--via", "queue", "--store", filepath.Join(dir, "s"))
		var out bytes.Buffer
		cmd.Stdout = &out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if out, _ := shell(dir, binary, "techo ask list --store s --fields count"); strings.Contains(out,
				`"count":1`) {
				break
			}
		}
		cmd.Process.Signal(sig)
		cmd.Wait()
		if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(out.String(), `"hint":"techo ask wait q1"`) {
			t.Errorf("%v: exit %d: %s", sig, cmd.ProcessState.ExitCode(), out.String())
		}
		if out, err := shell(dir, binary, "person ask answer q1 still --store s"); err != nil {
			t.Errorf("%v: the question is gone: %s", sig, out)
		}
	}
}

// TestAskTyping types answers with edits, long ones and Japanese ones, on a terminal
// without control sequences.
func TestAskTyping(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	narrow := func(_, tty *os.File) {
		if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 5, Col: 20}); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("長", 1300) // 3,900 bytes
	for name, c := range map[string]struct{ typed, want string }{
		"wide, corrected":       {"東京都\x7f\x7f大阪\n", "東大阪"},
		"Japanese, corrected":   {"いいえ、\x7f\x7fよ\n", "いいよ"},
		"Japanese, begun again": {"いいえ\x15はい\n", "はい"},
		"half width and wide":   {"ﾊｲ　ＡＢＣ　１２３\n", "ﾊｲ　ＡＢＣ　１２３"},
		"a long line":           {long + "\n", long},
		"a very long line":      {strings.Repeat(long, 3) + "\n", strings.Repeat(long, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			d := sit(t, binary, filepath.Join(t.TempDir(), "store"), narrow, binary, "ask",
				strings.Repeat("長い質問。", 40))
			d.see("回答: ")
			d.typeIn(c.typed)
			wantFields(t, d.leaves(0), map[string]any{"answer": c.want, "source": "free"})
		})
	}
}

// TestAskStandard asks on the terminal of stdin and stderr when it is not the
// controlling one.
func TestAskStandard(t *testing.T) {
	binary := buildTwo(t)
	sitting := &syscall.SysProcAttr{Setsid: true} // and no controlling terminal
	d := sitAs(t, sitting, binary, filepath.Join(t.TempDir(), "store"), nil, binary, "ask", "Q", "--option", "a",
		"--option", "b")
	d.see("選択 (番号): ")
	d.typeIn("2\n")
	wantFields(t, d.leaves(0), map[string]any{"status": "answered", "index": 2.0, "via": "tty", "assurance": "none"})
}

// TestAskPipe reads a long answer from a pipe, and one without a newline.
func TestAskPipe(t *testing.T) {
	binary, dir := buildTwo(t), t.TempDir()
	long := strings.Repeat("長い回答", 900) // 10,800 bytes
	if err := os.WriteFile(filepath.Join(dir, "long"), []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := shell(dir, binary,
		"techo ask Q --via stdin --store s --fields answer <long 2>/dev/null"); err != nil || out != `{"answer":"`+long+
		`"}`+"\n" {
		t.Errorf("%v: %.100s", err, out)
	}
	if out, err := shell(dir, binary,
		`printf '\r\na\tb\0\377c\r' | techo ask Q --via stdin --store s --fields answer 2>/dev/null`); err != nil ||
		out != `{"answer":"a\tb\ufffdc"}`+"\n" && out != "{\"answer\":\"a\\tb\ufffdc\"}\n" {
		t.Errorf("%v: %q", err, out)
	}
}

// echo reports whether the other end of the terminal would echo input.
func (d *desk) echo() (on bool) {
	d.t.Helper()
	other, err := d.keys.SyscallConn()
	if err != nil {
		d.t.Fatal(err)
	}
	err = other.Control(func(fd uintptr) {
		mode, e := unix.IoctlGetTermios(int(fd), system.GetTermios)
		if on = e == nil && mode.Lflag&unix.ECHO != 0; e != nil {
			d.t.Error(e)
		}
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return on
}

// TestAskSecret checks that a secret is neither shown nor stored, that the
// terminal is restored, and that a secret is asked nowhere else.
func TestAskSecret(t *testing.T) {
	binary := buildTwo(t)
	store := filepath.Join(t.TempDir(), "store")
	d := sit(t, binary, store, nil, binary, "ask", "パスワードは？", "--secret")
	d.see("回答: ")
	if d.echo() {
		t.Error("what is typed is shown")
	}
	if out, _ := shell(filepath.Dir(store), binary,
		"person ask answer q1 x --store store; echo $?"); !strings.Contains(out, `"code":"unavailable"`) ||
		!strings.HasSuffix(out, "4\n") {
		t.Errorf("answered elsewhere: %s", out)
	}
	d.typeIn("ひみつ-hunter2\n")
	wantFields(t, d.leaves(0), map[string]any{
		"status": "answered", "answer": "ひみつ-hunter2", "message": "秘密の入力を受け取りました"})
	if strings.Contains(d.seen(), "hunter2") {
		t.Errorf("shown: %q", d.seen())
	}
	if !d.echo() {
		t.Error("the terminal is left without echo")
	}
	err := filepath.WalkDir(store, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if bytes.Contains(body, []byte("hunter2")) {
			t.Errorf("kept in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	out, _ := shell(filepath.Dir(store), binary,
		"techo ask show q1 --store store --fields question.status,question.answer,question.secret,question.by")
	if out != `{"question":{"secret":true,"status":"answered","answer":"","by":"tanaka"}}`+"\n" {
		t.Error(out)
	}
	interrupted := sit(t, binary, filepath.Join(t.TempDir(), "store"), nil, binary, "ask", "Q", "--secret")
	interrupted.see("回答: ")
	interrupted.typeIn("half\x03")
	wantFields(t, interrupted.leaves(130), map[string]any{"status": "cancelled"})
	if !interrupted.echo() {
		t.Error("interrupted: the terminal is left without echo")
	}
}

// TestAskStoreless asks at a terminal without a usable store, and is refused
// without a terminal.
func TestAskStoreless(t *testing.T) {
	binary := buildTwo(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := sit(t, binary, filepath.Join(file, "store"), nil, binary, "ask", "Q", "--option", "a")
	d.see("選択 (番号): ")
	d.typeIn("1\n")
	wantFields(t, d.leaves(0), map[string]any{"status": "answered", "answer": "a", "question_id": ""})
	out, _ := shell(folder, binary, "techo ask Q --via queue --store file/store --wait 0; echo $?")
	if !strings.Contains(out, `"error"`) || strings.HasSuffix(out, "\n0\n") {
		t.Error(out)
	}
}

// TestAskGone checks that a process ends when its terminal is gone, also without
// a hangup: while watching, without a store, and while waiting for the queue.
func TestAskGone(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		store string
		line  string
		code  int
		want  map[string]any
	}{
		"a question": {filepath.Join(t.TempDir(), "store"), "ask Q --wait 3s", 6,
			map[string]any{"status": "pending", "question_id": "q1"}},
		"no store": {filepath.Join(file, "store"), "ask Q", 6,
			map[string]any{"status": "pending", "question_id": ""}},
		"a watch": {filepath.Join(t.TempDir(), "store"), "ask watch", 4, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a watch" {
				if out, err := shell(filepath.Dir(c.store), binary,
					"techo ask W --wait 0 --store store; test $? = 6"); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			open := func(_, tty *os.File) { // nohup keeps nothing of the terminal open
				if fd, err := syscall.Dup(int(tty.Fd())); err == nil {
					syscall.CloseOnExec(fd)
					t.Cleanup(func() { syscall.Close(fd) })
				}
			}
			d := sit(t, binary, c.store, open,
				append([]string{"nohup", filepath.Join(filepath.Dir(binary), personName)},
					strings.Fields(c.line)...)...)
			d.see("回答: ")
			d.keys.Close()
			wantFields(t, d.leaves(c.code), c.want)
		})
	}
}

// TestAskNotify notifies the person by their program, without waiting for it too
// long.
func TestAskNotify(t *testing.T) {
	t.Parallel()
	binary, dir := buildTwo(t), t.TempDir()
	out, _ := shell(dir, binary,
		`TECHO_ASK_NOTIFY='echo "$TECHO_QUESTION_ID: $(cat)" > told; echo noise' `+
			`techo ask "消しますか？" --wait 0 --store s`)
	told, err := os.ReadFile(filepath.Join(dir, "told"))
	if err != nil || string(told) != "q1: 消しますか？\n" || strings.Contains(out, "noise") ||
		strings.Contains(out, "notify_problem") {
		t.Errorf("%q %v\n%s", told, err, out)
	}
	if out, _ = shell(dir, binary, `TECHO_ASK_NOTIFY='exit 3' techo ask Q --wait 0 --store s`); !strings.Contains(out,
		`"notify_problem":"TECHO_ASK_NOTIFY: exit status 3"`) {
		t.Error(out)
	}
	began := time.Now()
	out, _ = shell(dir, binary, `(sleep 1; person ask answer q3 yes --store s >/dev/null) & `+
		`TECHO_ASK_NOTIFY='sleep 60' techo ask Q --via queue --store s; wait`)
	if !strings.Contains(out, `"answer":"yes"`) || time.Since(began) > 50*time.Second {
		t.Errorf("%v\n%s", time.Since(began), out)
	}
}
