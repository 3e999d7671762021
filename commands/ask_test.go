//go:build linux || darwin

package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"techo/commands/run/runtest"
	"techo/commands/system"
	"techo/internal/testenv"
	"techo/tools"
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
		"Japanese, begun again": {"いいえ\x15はい\n", "はい"},
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

// TestAskOwnSecret enters the person's secret for a question at the terminal of its asker. Wrong ones
// make attempts wait by the clock of the system, whatever TECHO_NOW is.
func TestAskOwnSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := func(wait string, types ...string) map[string]any {
		w.types = types
		a := w.run("ask", "Delete?", "--option", "Yes", "--wait", wait, "--assurance", "secret")
		var result map[string]any
		if err := json.Unmarshal([]byte(a.out), &result); err != nil {
			t.Fatal(err)
		}
		return result
	}
	if got := ask("100ms", "1"); got["status"] != "pending" { // a terminal is too weak
		t.Error(got)
	}
	w.types = []string{"some words", "some words"}
	w.run("ask", "secret", "set").ok()
	wantFields(t, ask("5s", "1", "some words"), map[string]any{"assurance": "secret",
		"message": "The person answered: Yes"})
	if got := ask("5s", "1", "a guess", "a guess", "a guess"); got["status"] != "pending" {
		t.Error(got)
	}
	w.env["TECHO_NOW"] = "2030-01-01T00:00:00Z"
	w.types = []string{"some words"}
	w.run("ask", "secret", "remove").fails("rate_limited")
	w.clock = w.clock.Add(time.Second)
	if got := w.run("ask", "secret", "remove").ok(); got["set"] != false {
		t.Error(got)
	}
}

// hasty is a terminal at which something happens before the last line is typed.
type hasty struct {
	*runtest.Typist
	before func()
}

func (h *hasty) Ask(ctx context.Context, p tools.Prompt) (string, error) {
	if len(h.Lines) == 1 {
		h.before()
	}
	return h.Typist.Ask(ctx, p)
}

// TestAskSecretMeanwhile has a person who sets a secret while another prompt is open, which an
// agent finishes afterwards.
func TestAskSecretMeanwhile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, types, want string }{
		{"ask secret set", "own words|own words", `"code":"conflict"`},
		{"config set root /", "y", `"message":"No secret was entered"`},
	} {
		w := newWorld(t)
		var stdout, stderr bytes.Buffer
		world := w.World(unreadable{}, &stdout, &stderr, strings.Fields(c.line)...)
		world.Terminal = func() (tools.Terminal, error) {
			return &hasty{&runtest.Typist{Lines: strings.Split(c.types, "|")}, func() {
				person := *w
				person.types = []string{"correct horse", "correct horse"}
				person.run("ask", "secret", "set").ok()
			}}, nil
		}
		if Main(world); !strings.Contains(stdout.String(), c.want) {
			t.Errorf("%s: %s%s", c.line, &stdout, &stderr)
		}
		w.types = []string{"correct horse", "new words", "new words"}
		w.run("ask", "secret", "change").ok()
	}
}

// TestAskDeclineSecret has somebody who ends a prompt without the secret: that shows nothing.
func TestAskDeclineSecret(t *testing.T) {
	w := newWorld(t)
	w.types = []string{"correct horse", "correct horse"}
	w.run("ask", "secret", "set").ok()
	w.types = []string{} // Ctrl-D
	for flags, want := range map[string]string{
		"":                   `"status":"declined","assurance":"none","message":"The question was declined"`,
		"--assurance secret": `"status":"pending","assurance":"none"`,
	} {
		args := append([]string{"ask", "Delete?", "--fields", "status,assurance,message"}, strings.Fields(flags)...)
		if got := w.run(args...).out; !strings.Contains(got, want) {
			t.Errorf("%q: %s", flags, got)
		}
	}
}

// TestAskWatchUnlocked answers in a watch that was unlocked: the secret is needed again after 15
// minutes without an answer.
func TestAskWatchUnlocked(t *testing.T) {
	w := newWorld(t)
	w.types = []string{"correct horse", "correct horse"}
	w.run("ask", "secret", "set").ok()
	w.types = nil
	for _, q := range []string{"1?", "2?", "3?", "4?"} {
		w.run("ask", q, "--via", "queue", "--wait", "0")
	}
	var stdout, stderr bytes.Buffer
	world := w.World(unreadable{}, &stdout, &stderr, "ask", "watch", "--once", "--fields", "answered.assurance,message")
	term := &runtest.Typist{Lines: []string{"a", "correct horse", "b", "c", "d", "correct horse"}}
	world.Terminal = func() (tools.Terminal, error) { return term, nil }
	asked, times := 0, []time.Duration{0, 0, 14 * time.Minute, 28 * time.Minute, 28*time.Minute + 15*time.Minute}
	world.Now = func() time.Time { // the clock stands still but between the questions
		asked = strings.Count(term.Screen.String(), "[ASK USER]")
		return w.clock.Add(times[min(asked, len(times)-1)])
	}
	Main(world)
	secret := `{"assurance":"secret"}`
	if want := `{"answered":[` + strings.Join([]string{secret, secret, secret, secret}, ",") + `]`; !strings.HasPrefix(
		stdout.String(), want) || strings.Count(term.Screen.String(), "Your secret: ") != 2 {
		t.Errorf("%s%s\n%s", &stdout, &stderr, term.Screen.String())
	}
}
