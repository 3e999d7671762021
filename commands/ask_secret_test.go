//go:build linux || darwin

package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"techo/commands/run/runtest"
	"techo/tools"
)

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
