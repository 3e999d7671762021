//go:build linux || darwin

package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
)

// nobodyID is a user without rights.
const nobodyID = 65534

// house is the home of an account with a copy of techo, a store, and the secret "some words".
type house struct {
	t        *testing.T
	dir      string
	ordinary bool // the account is not that of the test
}

func newHouse(t *testing.T, ordinary, secret bool) *house {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "techo-routes-") // another user can reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", filepath.Join(dir, "tm"), "kill-server").Run() // if there is one
		sessions, _ := filepath.Glob(filepath.Join(dir, "screens", "*"))              // sockets named PID.NAME
		for _, session := range sessions {
			pid, _, _ := strings.Cut(filepath.Base(session), ".")
			if n, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(n, syscall.SIGTERM)
			}
		}
		os.RemoveAll(dir)
	})
	self, err := os.Executable()
	if err == nil && os.Link(self, filepath.Join(dir, houseName)) != nil {
		err = testenv.CopyOwn(filepath.Join(dir, houseName))
	}
	if err == nil && secret {
		err = store.SecretIn(filepath.Join(dir, ".local", "state"), time.Now).Set("some words", "")
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil && ordinary {
		err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Base(path) == houseName && filepath.Dir(path) == dir {
				return err
			}
			return os.Chown(path, nobodyID, nobodyID)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return &house{t, dir, ordinary}
}

// sits starts a line of a shell at a terminal of the account.
func (h *house) sits(line string) *desk {
	h.t.Helper()
	as := &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if h.ordinary {
		as.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	return sitAs(h.t, as, filepath.Join(h.dir, houseName), filepath.Join(h.dir, "store"), nil, "bash", "-c",
		"cd "+h.dir+"; export LANG=C SHELL=/bin/bash SCREENDIR=$PWD/screens; mkdir -pm 700 screens\n"+line)
}

// does runs a line at a terminal and returns what stdout and the terminal have.
func (h *house) does(line string) string {
	h.t.Helper()
	d := h.sits(line)
	timer := time.AfterFunc(time.Minute, func() { d.cmd.Process.Kill() })
	defer timer.Stop()
	_ = d.cmd.Wait()
	return d.stdout.String() + d.seen()
}

// accounts are the accounts of the tests: the own one, and another one if root runs them.
func accounts(t *testing.T, do func(t *testing.T, ordinary bool)) {
	t.Run("own", func(t *testing.T) { do(t, false) })
	if os.Geteuid() == 0 {
		t.Run("ordinary", func(t *testing.T) { do(t, true) })
	}
}

// agents is what the lines of the routes use. at types words at a terminal of script, in front of
// a line; curl asks a server that listens in a socket.
const agents = `
at() { (for k in "${@:2}"; do sleep 0.3; printf '%s\r' "$k"; done; sleep 0.3) |
	timeout 8 script -qc "timeout --foreground 6 $1" /dev/null; }
pane() { tmux -f /dev/null -S tm "$@"; }
typed() { for k in "$@"; do sleep 0.4; pane send-keys "$k" Enter; done; sleep 0.4; pane capture-pane -pJ; pane kill-server; }
post() { curl -s -m 5 "$@"; }
mkdir -p clone/.techo; chmod 700 clone/.techo
techo ask Delete? --option Yes --key k --wait 0 >/dev/null
techo memo add m before --priority 1 >/dev/null
techo memo edit m --content after >/dev/null
`

// route is a way of an agent with a shell of the account.
type route struct{ name, needs, line string }

const (
	answerCall = `'{"question_id":"q1","answer":"Yes"}'`
	guesses    = `'1' 'some word' 'y' 'password'`
)

// routes are the ways to answer the question q1, to trust the store in clone, to make a token, or to
// purge the memo m. None of them knows the secret.
func routes() []route {
	rpc := func(calls ...string) string {
		return `printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{"elicitation":{}},"clientInfo":{"name":"a","version":"1"}}}' ` + strings.Join(calls, " ")
	}
	rpcAnswer := `'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"answer_question","arguments":` +
		`{"question_id":"q1","answer":"Yes"}}}'`
	served := func(flags, request string) string {
		return `techo serve --listen unix:$PWD/sock --quiet ` + flags + ` 2>/dev/null &
			until [ -S sock ]; do sleep 0.05; done; post --unix-socket sock ` + request + `; kill $!; wait`
	}
	page := `techo page --no-open >link 2>/dev/null & until [ -s link ]; do sleep 0.05; done
		L=$(grep -o 'http[^"]*' link); B=${L%/page/*}; post -c jar -D head "$L" >/dev/null
		P=$(grep -o 'proof=[^[:space:]]*' head); ask() { post -b jar -H "Techo-Page: ${P#proof=}" -H "Origin: $B" "$B$1" -d "$2"; }
		`
	all := []route{
		{"an answer", "", `techo ask answer q1 Yes </dev/null`},
		{"an answer on a pipe", "", `echo Yes | techo ask answer q1 -`},
		{"an answer with guesses", "script", `at 'techo ask answer q1 Yes' ` + guesses},
		{"a call", "", `techo call answer_question ` + answerCall + ` </dev/null`},
		{"a call at a terminal", "script", `at 'techo answer_question q1 Yes' ` + guesses},
		{"a batch", "", `echo '{"tool":"answer_question","input":{"question_id":"q1","answer":"Yes"}}' | techo call --batch`},
		{"a variable", "", `TECHO_ANSWER=command techo ask answer q1 Yes </dev/null`},
		{"a setting", "script", `mkdir -p .config/techo; echo 'answer = "command"' >.config/techo/config.toml
			techo ask answer q1 Yes </dev/null; at 'techo ask answer q1 Yes' ` + guesses},
		{"a decline", "script", `at 'techo ask answer q1 --decline' ` + guesses},
		{"a watch", "script", `at 'techo ask watch --once' ` + guesses},
		{"a watch on a pipe", "", `printf '1\nsome word\n' | techo ask watch --once --via stdin`},
		{"a watch that reads its terminal", "script", `at 'techo ask watch --once --via stdin' ` + guesses},
		{"a dumb terminal", "script", `TERM=dumb at 'techo ask watch --once' ` + guesses},
		{"asked again with its key", "script", `at 'techo ask Delete? --option Yes --key k --wait 2' ` + guesses},
		{"asked again on a pipe", "", `echo 1 | timeout --foreground 6 techo ask Delete? --option Yes --key k --via stdin`},
		{"asked again with less", "script", `at 'techo ask Delete? --option Yes --key k --assurance none --wait 2' ` + guesses},
		{"a session of its own", "", `setsid -w techo ask answer q1 Yes </dev/null`},
		{"detached twice", "script", `setsid -f bash -c "$(declare -f at); at 'techo ask answer q1 Yes' ` + guesses +
			` >shown"; sleep 2.5; cat shown`},
		{"a copy of script named sshd", "script", `cp $(which script) sshd; (sleep 0.4; printf 'y\r'; sleep 0.3) |
			timeout 5 ./sshd -qc 'timeout --foreground 3 techo ask answer q1 Yes' /dev/null`},
		{"a pane of tmux", "tmux", `pane new -d 'techo ask answer q1 Yes; sleep 9'; typed ` + guesses},
		{"a watch in tmux", "tmux", `pane new -d 'techo ask watch; sleep 9'; typed ` + guesses},
		{"tmux send-keys", "tmux", `pane new -d 'PS1= bash --norc'; typed 'techo ask answer q1 Yes' ` + guesses},
		{"a pane that was open before", "tmux", `pane new -d 'PS1= bash --norc'; sleep 0.3
			techo ask Later? --option Yes --key l --wait 0 >/dev/null; typed 'techo ask answer q1 Yes' y 'some word'`},
		{"screen", "screen", `screen -dmS agent techo ask answer q1 Yes; sleep 0.7
			screen -S agent -X stuff $'guess\r'; sleep 0.5; screen -S agent -X hardcopy $PWD/shown; sleep 0.3
			screen -S agent -X quit >/dev/null; cat shown`},
		{"another HOME", "script", `mkdir other; HOME=$PWD/other at 'techo ask answer q1 Yes' ` + guesses},
		{"other folders", "script", `mkdir other; XDG_STATE_HOME=$PWD/other XDG_CONFIG_HOME=$PWD/other USERPROFILE=$PWD/other \
			at 'techo ask answer q1 Yes' ` + guesses},
		{"a secret of its own", "script", `at 'techo ask secret set' 'own words' 'own words'
			at 'techo ask answer q1 Yes' 'own words'`},
		{"a secret in another HOME", "script", `mkdir other; export HOME=$PWD/other
			at 'techo ask secret set' 'own words' 'own words'; at 'techo ask answer q1 Yes' 'own words'`},
		{"another secret instead", "script", `at 'techo ask secret change' guess 'own words' 'own words'
			at 'techo ask answer q1 Yes' 'own words'`},
		{"no secret instead", "script", `at 'techo ask secret remove' guess 'some word' guess; at 'techo ask answer q1 Yes' y`},
		{"a later clock", "script", `at 'techo ask answer q1 Yes' a b c d
			TECHO_NOW=2040-01-01T00:00:00Z at 'techo ask answer q1 Yes' guess y`},
		{"a broken secret", "", `echo '{}' >.local/state/techo/answer-secret.json; techo ask answer q1 Yes; techo ask watch --once`},
		{"a folder in place of the secret", "", `cd .local/state/techo; mv answer-secret.json x; mkdir answer-secret.json; cd -
			techo ask answer q1 Yes; echo y | techo store trust clone`},
		{"the secret moved away", "", `mv .local/state/techo/answer-secret.json x; techo ask answer q1 Yes
			printf '1\n' | techo ask watch --once --via stdin; mv x .local/state/techo/answer-secret.json`},
		{"few open files", "", `(ulimit -n 9; techo ask answer q1 Yes </dev/null)`},
		{"a page", "curl", page + `ask /tools/answer_question ` + answerCall + `; kill %1`},
		{"a page with guesses", "curl", page + `for s in 'some word' '' y; do ask /page/secret "{\"secret\":\"$s\"}"; done
			ask /tools/answer_question ` + answerCall + `; kill %1`},
		{"a server for persons", "curl", served("--audience person", `-d `+answerCall+` http://x/tools/answer_question`)},
		{"a server with a purge", "curl", served("--audience person",
			`-H 'Techo-Purge: true' -d '{"memo_name":"m"}' http://x/tools/remove_memo`)},
		{"a page of a server", "curl", `techo serve --page --listen 127.0.0.1:0 --quiet --no-token 2>log &
			until grep -q key= log; do sleep 0.05; done; grep -o 'http[^" ]*key=[^" ]*' log >link; kill %1; wait`},
		{"MCP for persons", "", rpc(rpcAnswer) + ` | timeout 5 techo mcp --audience person --profile full`},
		{"MCP for agents", "", rpc(rpcAnswer) + ` | timeout 5 techo mcp`},
		{"trust", "", `timeout --foreground 6 techo store trust clone </dev/null`},
		{"trust on a pipe", "", `yes | setsid -w techo store trust clone`},
		{"trust with guesses", "script", `at 'techo store trust clone' y yes guess`},
		{"trust in tmux", "tmux", `pane new -d 'techo store trust clone; sleep 9'; typed y yes guess`},
		{"a token", "script", `at 'techo token add --user a --audience person' y yes guess`},
		{"a token for hosts", "script", `at 'techo token add --user a --audience host' y yes guess`},
		{"a token on a pipe", "", `yes | setsid -w techo token add --user a --audience person`},
		{"a purge", "script", `at 'techo memo remove m --purge' y yes guess`},
		{"a purge of the history", "script", `at 'techo undo h2 --purge' y yes guess`},
		{"a root", "script", `at 'techo config set root /' y yes guess`},
		{"no history", "script", `at 'techo config set history-days 0' y yes guess`},
	}
	for name, how := range map[string]string{
		"in a user namespace":          "unshare -U --map-current-user -C",
		"as root of a user namespace":  "unshare -Ur",
		"deep in user namespaces":      "unshare -Ur unshare -U --map-user=7",
		"in a PID namespace":           "unshare -U --map-current-user -pf --mount-proc",
		"in a mount and PID namespace": "unshare -Urmpf --mount-proc",
	} {
		all = append(all, route{name, "unshare", `at '` + how + ` techo ask answer q1 Yes' y guess
			at '` + how + ` techo store trust clone' y guess`})
	}
	return all
}

// TestAskRoutes has an agent with a shell of the account, which does not know the secret: no way gives an
// answer, trust, a token, a purge or a setting.
func TestAskRoutes(t *testing.T) {
	accounts(t, func(t *testing.T, ordinary bool) {
		for _, r := range routes() {
			if !ordinary && os.Geteuid() == 0 && r.needs != "unshare" {
				continue // root is an account like others, except in user namespaces
			}
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				if r.needs != "" {
					testenv.Tool(t, r.needs)
				}
				if r.needs == "unshare" {
					testenv.Tool(t, "script")
					if exec.Command("unshare", "-Ur", "true").Run() != nil {
						testenv.Missing(t, "user namespaces")
					}
				}
				h := newHouse(t, ordinary, true)
				tried := h.does(agents + r.line)
				got := h.does(`techo ask show q1 --fields question.status,question.answer; techo token list --fields tokens
					techo store trust --list --fields trusted; techo memo get m --fields memo.content
					techo config get root --fields settings.value; techo history show h2 --fields before | head -c 99`)
				for _, want := range []string{`{"question":{"status":"pending","answer":""}}`, `{"tokens":[]}`, `{"trusted":[]}`,
					`{"memo":{"content":"after"}}`, `{"settings":[{"value":""}]}`, "before"} {
					if !strings.Contains(got, want) {
						t.Errorf("no %s:\n%s\nafter\n%s", want, got, tried)
					}
				}
				if strings.TrimSpace(tried) == "" && r.name != "a page of a server" {
					t.Error("the try shows nothing")
				}
			})
		}
	})
}

// TestAskPersons has the ways of a person, without a secret and with one.
func TestAskPersons(t *testing.T) {
	for name, c := range map[string]struct{ needs, open, close string }{
		"a terminal without a login": {"", "", ""},
		"tmux":                       {"tmux", "TERM=xterm tmux -f /dev/null -S tm new '", "'"},
		"screen":                     {"screen", "TERM=xterm screen -c /dev/null bash -c '", "'"},
		"a container":                {"unshare", "unshare -Urmpf --mount-proc ", ""},
	} {
		accounts(t, func(t *testing.T, ordinary bool) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if c.needs != "" {
					testenv.Tool(t, c.needs)
				}
				if c.needs == "unshare" && exec.Command("unshare", "-Ur", "true").Run() != nil {
					testenv.Missing(t, "user namespaces")
				}
				h := newHouse(t, ordinary, false)
				at := func(command string) *desk { return h.sits(c.open + command + c.close) }
				want := func(id, via, assurance string) {
					t.Helper()
					line := `for i in $(seq 80); do techo ask show ` + id +
						` --fields question.status,question.via,question.assurance | grep answered && break; sleep 0.1; done`
					if got := h.does(line); !strings.Contains(got,
						`{"question":{"status":"answered","via":"`+via+`","assurance":"`+assurance+`"}}`) {
						t.Errorf("%s: %s", id, got)
					}
				}
				d := at("techo ask Delete? --option Yes")
				d.see("Choice (number): ")
				d.typeIn("1\r")
				want("q1", "tty", "none")
				h.does("techo ask Watched? --wait 0; techo ask Commanded? --wait 0")
				d = at("techo ask watch")
				d.see("Watched?")
				d.typeIn("yes\r")
				want("q2", "tty", "none")
				d.typeIn("\x04")
				at("techo ask answer q3 yes")
				want("q3", "command", "none")
				d = at("techo ask secret set")
				d.see("New secret: ")
				d.typeIn("some words\r")
				d.see("Again: ")
				d.typeIn("some words\r")
				h.does("for i in $(seq 80); do techo ask secret status | grep -q true && break; sleep 0.1; done\n" +
					"techo ask Secret? --assurance secret --wait 0; techo ask Last? --wait 0")
				d = at("techo ask watch")
				d.see("Secret?")
				d.typeIn("yes\r")
				d.see("Your secret: ")
				d.typeIn("some words\r")
				want("q4", "tty", "secret")
				d.see("Last?")
				d.typeIn("yes\r")
				want("q5", "tty", "secret")
				if strings.Contains(d.seen(), "some words") {
					t.Errorf("the secret is shown: %q", d.seen())
				}
			})
		})
	}
}
