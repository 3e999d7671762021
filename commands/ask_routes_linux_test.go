package commands

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"techo/commands/run/runtest"
	"techo/internal/testenv"
)

// loginName is the name of the test program that logs a user in: it runs a command as the user in a
// session of its own, at the terminal of its stdin. Only root can start it so that it counts as
// a login.
const loginName = "login"

// logIn runs a command as an ordinary user, or as the own one.
func logIn(user string, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if user == "ordinary" && os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// openerName is the name of the test program that opens a terminal and types into it.
const openerName = "opener"

// openTerminal runs a command at a terminal that is not its controlling one, and types a text.
func openTerminal(text string, args []string) int {
	keys, tty, err := pty.Open()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, os.Stdout, tty
	go func() { _, _ = io.Copy(os.Stdout, keys) }()
	time.AfterFunc(500*time.Millisecond, func() { _, _ = io.WriteString(keys, text+"\r") })
	time.AfterFunc(3*time.Second, func() { _ = cmd.Process.Kill() })
	err = cmd.Run()
	time.Sleep(100 * time.Millisecond) // for the copy
	if err != nil {
		return 1
	}
	return 0
}

// nobodyID is a user without rights.
const nobodyID = 65534

// house is a folder with techo, where a user has a store and lets commands answer.
type house struct {
	t         *testing.T
	user, dir string
}

func newHouse(t *testing.T, user string) *house {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "techo-routes-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, name := range []string{houseName, loginName, openerName} {
		if err == nil {
			err = testenv.CopyOwn(filepath.Join(dir, name))
		}
	}
	if err == nil {
		err = runtest.LetCommandsAnswer(dir)
	}
	for _, path := range []string{"", ".config", ".config/techo", ".config/techo/config.toml"} {
		if err == nil && user == "ordinary" && os.Geteuid() == 0 {
			err = os.Chown(filepath.Join(dir, path), nobodyID, nobodyID)
		}
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &house{t, user, dir}
}

// sits starts a line of a shell in a terminal that login opened.
func (h *house) sits(line string) *desk {
	h.t.Helper()
	d := sitAs(h.t, &syscall.SysProcAttr{}, filepath.Join(h.dir, "techo"), filepath.Join(h.dir, "store"), nil,
		filepath.Join(h.dir, loginName), h.user, "bash", "-c", "cd "+h.dir+"; export LANG=C SHELL=/bin/bash; "+line)
	return d
}

// does runs a line in a terminal and returns what stdout and the terminal have.
func (h *house) does(line string) string {
	h.t.Helper()
	d := h.sits(line)
	timer := time.AfterFunc(20*time.Second, func() { d.cmd.Process.Kill() })
	defer timer.Stop()
	_ = d.cmd.Wait()
	return d.stdout.String() + d.seen()
}

// route is a way of an agent to answer its own question q1. Its line ends after its tries.
type route struct{ name, needs, line string }

// shown is what a route shows, if not the usual refusal: the try reached techo.
var shown = map[string]string{
	"asked again with its key":                     `"hint": "techo ask wait q1"`,
	"in a terminal that does not control it":       "it is not the controlling one",
	"asked in a terminal that does not control it": `"question_id":"q2","status":"pending"`,
}

// watch is a watch in a terminal of script, at which 1 is typed.
const watch = `(sleep 0.5; printf '1\r'; sleep 0.2) | timeout 3 \
	script -qc 'timeout --foreground 2 techo ask watch --once' /dev/null`

// routes are the ways. The last statement of a line may show the state of a further question.
func routes() []route {
	return []route{
		{"directly", "", `techo ask answer q1 Yes`},
		{"by a variable", "", `TECHO_ANSWER=command techo ask answer q1 Yes`},
		{"in a session of its own", "", `setsid -w techo ask answer q1 Yes`},
		{"detached twice", "", `setsid -f setsid -f techo ask answer q1 Yes; sleep 0.3`},
		{"on stdin", "", `echo 1 | techo ask watch --once --via stdin`},
		{"in a terminal of script", "script", watch},
		{"in a detached terminal of script", "script",
			`setsid -f bash -c "` + watch + `" >shown; sleep 1.2; cat shown`},
		{"by a command in a detached terminal", "script",
			`setsid -f script -qc 'techo ask answer q1 Yes' /dev/null; sleep 0.4`},
		{"in a terminal of a copy named sshd", "script", `cp $(which script) sshd
			setsid -f bash -c "` + strings.Replace(watch, "script", "./sshd", 1) + `" >shown; sleep 1.2; cat shown`},
		{"in a terminal that does not control it", "", `./opener 1 techo ask watch --once`},
		{"asked in a terminal that does not control it", "", `./opener 1 techo ask Sure? --option Yes --wait 1 \
			--assurance terminal; techo ask show q2 --fields question.status`},
		{"by a program that cannot be read", "", `cp /bin/bash own; chmod 111 own
			setsid -f ./own -c 'techo ask answer q1 Yes'; sleep 0.3`},
		{"asked again with its key", "script",
			strings.Replace(watch, "watch --once", "Delete? --option Yes --key k --wait 1", 1)},
		{"in a user and cgroup namespace", "unshare",
			`setsid -f unshare -U --map-current-user -C techo ask answer q1 Yes; sleep 0.4`},
		{"in an entered PID namespace", "nsenter",
			`unshare -U --map-current-user -pf --mount-proc sleep 1 & sleep 0.3
			nsenter --preserve-credentials -U -p -m -t $(pgrep -P $! -x sleep) techo ask answer q1 Yes; wait`},
		{"with a false /proc", "unshare", `unshare -Ur -m sh -c 'mount -t tmpfs none /proc; techo ask answer q1 Yes'`},
		{"with all of it in a user namespace, under a false terminal program", "script", `cp $(which script) xterm
			unshare -Ur bash -c 'techo ask Q --wait 0 --option Yes; setsid -f ./xterm -qc "techo ask answer q2 Yes
			techo ask answer q1 Yes" /dev/null; sleep 0.5'; techo ask show q2 --fields question.status`},
		{"by a command that tmux runs", "tmux", `tmux -S tm new -d 'sleep 5'
			tmux -S tm run-shell 'techo ask answer q1 Yes >shown 2>&1'; cat shown; tmux -S tm kill-server`},
		{"in a pane that tmux opens", "tmux", `tmux -S tm new -d 'techo ask watch'; sleep 0.6
			tmux -S tm send-keys 1 Enter; sleep 0.3; tmux -S tm capture-pane -pJ; tmux -S tm kill-server`},
		{"in an earlier pane that script shows", "tmux", `tmux -S tm new -d sh
			setsid -f script -qc 'tmux -S tm attach' /dev/null </dev/null >/dev/null; sleep 0.3
			techo ask Later? --option Yes --wait 0; tmux -S tm send-keys 'techo ask answer q2 Yes' Enter
			sleep 0.5; tmux -S tm capture-pane -pJ
			tmux -S tm kill-server; techo ask show q2 --fields question.status`},
		{"asked by a detached process", "", `setsid -f techo ask Detached? --option Yes --wait 0; sleep 0.3
			techo ask answer q2 Yes; techo ask show q2 --fields question.status`},
		{"by systemd-run", "systemd-run", `systemd-run --user --pipe --wait techo ask answer q1 Yes`},
		{"in a cgroup namespace of root", "unshare", `setsid -f unshare -C techo ask answer q1 Yes; sleep 0.3`},
		{"on a page that it opens", "curl", pageRoute("")},
		{"on a page in a cgroup namespace", "curl", pageRoute("unshare -C")},
	}
}

// pageRoute opens a detached page and answers there without a browser.
func pageRoute(enter string) string {
	return `setsid -f timeout 3 ` + enter + ` techo page --no-open >link; sleep 1; ` +
		`L=$(sed 's/.*"link":"\([^"]*\).*/\1/' link); B=${L%%/page/*}; curl -s -c jar -D head -o /dev/null "$L"; ` +
		`P=$(tr -d '\r' <head | sed -n 's/.*#proof=//p'); curl -s -b jar -H "Origin: $B" -H "Techo-Page: $P" ` +
		`-d '{"question_id":"q1","answer":"1"}' $B/tools/answer_question`
}

// users are the users that agents run as.
func users() []string {
	if os.Geteuid() == 0 {
		return []string{"ordinary", "root"}
	}
	return []string{"ordinary"}
}

// TestAskRoutes tries to answer from an agent's shell, as an ordinary user and as root.
func TestAskRoutes(t *testing.T) {
	for _, user := range users() {
		for _, r := range routes() {
			if strings.Contains(r.line, "unshare -C") && user != "root" {
				continue // only root may do it
			}
			t.Run(user+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				if r.needs != "" {
					testenv.Tool(t, r.needs)
				}
				if strings.Contains(r.line, "unshare") && exec.Command("unshare", "-U", "true").Run() != nil {
					testenv.Missing(t, "user namespaces")
				}
				h := newHouse(t, user)
				screen := h.does(`techo ask Delete? --option Yes --key k --wait 0; ` + r.line +
					`; echo; techo ask show q1 --fields question.status`)
				want := cmp.Or(shown[r.name], "cannot be answered from here")
				if noBus := "Failed to connect to bus"; strings.Contains(screen, noBus) {
					want = noBus // without a service manager, this route ends before techo
				}
				lines := strings.Split(strings.TrimSpace(screen), "\n")
				if !strings.Contains(screen, want) ||
					slices.Contains(lines, `{"question":{"status":"answered"}}`) ||
					!slices.Contains(lines, `{"question":{"status":"pending"}}`) {
					t.Errorf("%s", screen)
				}
			})
		}
	}
}

// TestAskRoutesPerson has the ways of a person without a secret, beside an agent in a terminal of its own.
func TestAskRoutesPerson(t *testing.T) {
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root, to log in")
	}
	ask := `techo ask Delete? --option Yes --wait 0`
	answered := func(t *testing.T, h *house, d *desk) {
		t.Helper()
		d.see("Delete?")
		d.typeIn("1\r")
		d.cmd.Wait()
		got := h.does("techo ask show q1 --fields question.via,question.assurance")
		if !strings.Contains(got, `{"question":{"via":"tty","assurance":"terminal"}}`) {
			t.Errorf("%s\n%s\n%q", got, d.stdout.String(), d.seen())
		}
	}
	t.Run("another terminal", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, "ordinary")
		h.does(ask)
		answered(t, h, h.sits("techo ask watch --once; true"))
	})
	t.Run("a command", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, "ordinary")
		h.does(ask)
		if got := h.does("techo ask answer q1 Yes"); !strings.Contains(got, `"assurance":"terminal"`) {
			t.Error(got)
		}
	})
	t.Run("a pane of tmux", func(t *testing.T) {
		t.Parallel()
		testenv.Tool(t, "tmux")
		h := newHouse(t, "ordinary")
		d := h.sits("TERM=xterm tmux -f /dev/null -S tm new bash --norc")
		d.see("$ ")
		h.does(ask)
		d.typeIn("techo ask watch --once; exit\r")
		answered(t, h, d)
	})
	t.Run("its own question", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, "ordinary")
		d := h.sits("techo ask Delete? --option Yes")
		answered(t, h, d)
		if !strings.Contains(d.stdout.String(), `"message":"Answered on a terminal: Yes"`) ||
			strings.Count(d.seen(), "techo ask secret set") != 1 {
			t.Errorf("%s\n%q", d.stdout.String(), d.seen())
		}
	})
}

// TestAskRoutesTyped has an agent that types into a pane of the person: no evidence of processes
// stops that, but the secret does.
func TestAskRoutesTyped(t *testing.T) {
	testenv.Tool(t, "tmux")
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root, to log in")
	}
	h := newHouse(t, "ordinary")
	pane := h.sits("TERM=xterm tmux -f /dev/null -S tm new bash --norc")
	pane.see("$ ")
	const keys, answered = "tmux -S tm send-keys ", `until techo ask show %[1]s | grep -q '"status":"answered"'
		do sleep 0.1; done; techo ask show %[1]s --fields question.assurance`
	attack := func(id string) {
		h.does(fmt.Sprintf("techo ask %s --option Yes --wait 0; "+keys+"'techo ask answer %[1]s Yes' Enter", id))
	}
	attack("q1")
	if got := h.does(fmt.Sprintf(answered, "q1")); !strings.Contains(got, `"terminal"`) {
		t.Errorf("without a secret: %s\n%q", got, pane.seen())
	}
	d := h.sits("techo ask secret set")
	for _, label := range []string{"New secret: ", "Again: "} {
		d.see(label)
		d.typeIn("some words\r")
	}
	if d.leaves(0); strings.Contains(d.seen()+d.stdout.String(), "some") {
		t.Errorf("the secret is shown: %q", d.seen())
	}
	attack("q2")
	pane.see("Your secret: ")
	h.does(keys + "123456 Enter")
	pane.see("That is not the secret")
	if got := h.does("techo ask show q2 --fields question.status"); !strings.Contains(got, `"pending"`) {
		t.Errorf("with a secret: %s\n%q", got, pane.seen())
	}
	pane.typeIn("some words\r")
	if got := h.does(fmt.Sprintf(answered, "q2")); !strings.Contains(got, `"secret"`) {
		t.Errorf("with the right secret: %s\n%q", got, pane.seen())
	}
}

// TestAskRoutesWider tries to confirm what gives an agent more reach, in terminals that it opens.
func TestAskRoutesWider(t *testing.T) {
	testenv.Tool(t, "script")
	const files = `mkdir -p .techo; chmod 700 .techo; techo memo add m x --priority 1 >/dev/null
		echo 'script -qc "techo $LINE" /dev/null' >act
		echo 'if [ $1 -gt 0 ]; then bash nest $(($1-1)); else bash act; fi; true' >nest
		(sleep 0.5; printf 'yes\r'; sleep 0.1) | timeout --foreground 3 `
	ways := map[string]string{"script": "bash act", "in a user namespace": "unshare -U --map-current-user bash act",
		"deeper than techo reads": "bash nest 65", "no controlling terminal": "./opener yes techo $LINE"}
	for _, user := range users() {
		for name, way := range ways {
			t.Run(user+"/"+name, func(t *testing.T) {
				t.Parallel()
				if strings.Contains(way, "unshare") && exec.Command("unshare", "-U", "true").Run() != nil {
					testenv.Missing(t, "user namespaces")
				}
				h := newHouse(t, user)
				for _, line := range []string{"config set root /", "config set answer command", "memo remove m --purge",
					"ask secret set"} {
					screen := h.does("export LINE='" + line + "'; " + files + way)
					if !strings.Contains(strings.ReplaceAll(screen, `": "`, `":"`), `"code":"forbidden"`) &&
						!strings.Contains(screen, "can only be typed at the controlling terminal") {
						t.Errorf("%s: %s", line, screen)
					}
				}
			})
		}
	}
}

// TestAskStatic checks that no library can be loaded into techo by a variable.
func TestAskStatic(t *testing.T) {
	testenv.All(t, "loads a release")
	program, err := elf.Open(build(t))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("techo is linked dynamically")
		}
	}
}
