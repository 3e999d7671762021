//go:build linux || darwin

package commands

import (
	"encoding/json"
	"testing"
	"time"
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
