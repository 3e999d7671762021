package commands

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/commands/run/runtest"
	"techo/internal/lineage"
	"techo/internal/testenv"
	"techo/tools/person"
)

// TestAskSecretPlace has an agent that chooses the variables by which programs find a home folder:
// they lead to no other secret, hide none, and bring no setting by which commands answer.
func TestAskSecretPlace(t *testing.T) {
	w := newWorld(t)
	w.types = []string{"correct horse", "correct horse"}
	w.run("ask", "secret", "set").ok()
	w.run("ask", "Delete?", "--assurance", "secret", "--via", "queue", "--wait", "0")
	other := t.TempDir()
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME", "USERPROFILE"} {
		agent := *w
		agent.env = maps.Clone(w.env)
		agent.env[name] = other
		agent.types = []string{"own words", "own words"}
		if got := agent.run("ask", "secret", "set").out; !strings.Contains(got, `"code":"already_exists"`) {
			t.Errorf("%s: %s", name, got)
		}
		agent.types = []string{"yes", "own words", "own words", "own words"}
		if got := agent.run("ask", "watch", "--once").out; strings.Contains(got, `"status":"answered"`) {
			t.Errorf("%s: %s", name, got)
		}
		agent.types = []string{"yes"}
		if got := agent.run("config", "set", "history-days", "0").out; strings.Contains(got, `"settings"`) {
			t.Errorf("%s: %s", name, got)
		}
		w.clock = w.clock.Add(3600e9) // wrong secrets delay the next attempt
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME"} {
		agent := newWorld(t)
		agent.run("ask", "Delete?", "--via", "queue", "--wait", "0")
		if err := runtest.LetCommandsAnswer(other); err != nil {
			t.Fatal(err)
		}
		agent.env[name] = map[string]string{"HOME": other, "XDG_CONFIG_HOME": filepath.Join(other, ".config")}[name]
		got := agent.run("ask", "answer", "q1", "yes").out
		if !strings.Contains(got, "answer has no effect in ") && !strings.Contains(got, `"code":"forbidden"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestAskRoutesPlace does the same with processes, in terminals that an agent opens.
func TestAskRoutesPlace(t *testing.T) {
	testenv.Tool(t, "script")
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root, to log in")
	}
	h := newHouse(t, "ordinary")
	d := h.sits("techo ask secret set")
	for _, label := range []string{"New secret: ", "Again: "} {
		d.see(label)
		d.typeIn("some words\r")
	}
	d.leaves(0)
	got := h.does(`techo ask Delete? --option Yes --assurance secret --wait 0; mkdir s2
		export XDG_STATE_HOME=$PWD/s2 HOME=$PWD/s2
		setsid -f bash -c "(sleep 0.4; printf 'own words\r'; sleep 0.2; printf 'own words\r'; sleep 0.2) |
		timeout 3 script -qc 'techo ask secret set' /dev/null
		(sleep 0.4; printf '1\r'; sleep 0.2; printf 'own words\r'; sleep 0.2) |
		timeout 3 script -qc 'timeout 2 techo ask watch --once' /dev/null" >log; sleep 2.5; cat log
		techo ask show q1 --fields question.status`)
	if !strings.Contains(got, `{"question":{"status":"pending"}}`) || !strings.Contains(got, "already_exists") {
		t.Error(got)
	}
}

// hasty is a terminal at which something happens before the last line is typed.
type hasty struct {
	*runtest.Typist
	before func()
}

func (h *hasty) Ask(ctx context.Context, p person.Prompt) (string, error) {
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
		{"config set answer command", "yes", `"message":"No secret was entered"`},
		{"config set history-days 0", "yes", `"message":"No secret was entered"`},
	} {
		w := newWorld(t)
		var stdout, stderr bytes.Buffer
		world := w.World(unreadable{}, &stdout, &stderr, strings.Fields(c.line)...)
		world.Terminal = func() (person.Terminal, error) {
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
		"":                   `"status":"declined","assurance":"","message":"The question was declined"`,
		"--assurance secret": `"status":"pending","assurance":""`,
	} {
		args := append([]string{"ask", "Delete?", "--fields", "status,assurance,message"}, strings.Fields(flags)...)
		if got := w.run(args...).out; !strings.Contains(got, want) {
			t.Errorf("%q: %s", flags, got)
		}
	}
}

// TestAskUndoTimeout ends the prompt for the secret of an undo by the time limit.
func TestAskUndoTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run("ask", "Delete?", "--via", "queue", "--wait", "0")
	if err := runtest.LetCommandsAnswer(w.dir); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	for _, line := range []string{"ask secret set", "ask answer q1 yes", "undo --timeout 300ms"} {
		world := w.World(unreadable{}, &stdout, &stderr, strings.Fields(line)...)
		world.Lineage = func() lineage.Tree { return lineage.Sample("another terminal") }
		world.Terminal = func() (person.Terminal, error) {
			types := []string{"correct horse", "correct horse"}
			if line[0] == 'u' {
				return untyped{&runtest.Typist{}}, nil
			}
			return &runtest.Typist{Lines: types}, nil
		}
		Main(world)
	}
	got := stdout.String()
	if !strings.Contains(got, `"status":"answered"`) || !strings.Contains(got, `"code":"cancelled"`) {
		t.Errorf("%s%s", &stdout, &stderr)
	}
}

// untyped is a terminal at which no answer is typed.
type untyped struct{ *runtest.Typist }

func (untyped) Ask(ctx context.Context, _ person.Prompt) (string, error) {
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
	}
	return "", errors.New("no answer was typed")
}

// TestAskUnknownAccount has a process whose account is not known, such as in a container: it asks
// without an assurance, and neither answers nor confirms.
func TestAskUnknownAccount(t *testing.T) {
	w := newWorld(t)
	w.run("ask", "Delete?", "--via", "queue", "--wait", "0")
	for line, want := range map[string]string{
		"ask Now?":                      `"status":"answered"`,
		"ask watch --once":              `"answered":[],"refused":["q1"`,
		"ask secret set":                `no home folder for you`,
		"config set root /":             `no home folder for you`,
		"ask Now? --via queue --wait 0": `"status":"pending"`,
	} {
		var stdout, stderr bytes.Buffer
		world := w.World(unreadable{}, &stdout, &stderr, strings.Fields(line)...)
		world.Account = nil
		world.Terminal = runtest.Types("yes", "yes")
		Main(world)
		got := stdout.String() + stderr.String()
		if !strings.Contains(got, want) || strings.Contains(got, `"assurance":"t`) {
			t.Errorf("%s: %s", line, got)
		}
	}
	testenv.Tool(t, "unshare")
	if exec.Command("unshare", "-Ur", "true").Run() != nil {
		testenv.Missing(t, "user namespaces")
	}
	out, _ := exec.Command("unshare", "-Ur", testenv.Program(t), "ask", "secret", "status").CombinedOutput()
	if !strings.Contains(string(out), "no home folder for you") {
		t.Errorf("in a user namespace: %s", out)
	}
}
