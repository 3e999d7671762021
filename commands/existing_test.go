package commands

import (
	"strings"
	"testing"
)

// TestExisting completes names and ids in the store.
func TestExisting(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "likes\n\x1b[31mramen", "--priority", "3", "--tag", "food").ok()
	w.run("memo", "add", "Kyoto trip", strings.Repeat("長い", 100), "--priority", "4").ok()
	id := w.run("memory", "add", "The shop is closed. On Mondays.").ok()["memory"].(map[string]any)["id"].(string)
	w.run("ask", "Which one?", "--via", "queue", "--wait", "0s")
	w.run("cal", "create", "Lunch", "tomorrow 12:00", "--calendar", "work").ok()
	event := w.run("cal", "create", "Dinner", "tomorrow 19:00").ok()["event"].(map[string]any)["event_id"].(string)
	w.run("todo", "add", "Buy milk").ok()
	w.run("space", "create", "team").ok()
	for line, want := range map[string]string{
		"memo get ":                   "Kyoto trip|ramen",
		"memo get r":                  "ramen",
		"memo edit K":                 "Kyoto trip",
		"memo remove -- r":            "ramen",
		"memo list --tag f":           "food",
		"memo rename-tag ":            "food",
		"get_memo r":                  "ramen",
		"memory get ":                 id,
		"memory remove mem_x ":        id,
		"memory investigate mem":      id,
		"ask answer ":                 "q1",
		"cal list --calendar=w":       "--calendar=work",
		"cal get ":                    event,
		"cal update ":                 event,
		"cal delete " + event[:2]:     event,
		"cal confirm ":                event,
		"cal move x --to-calendar w":  "work",
		"cal move x --to-space t":     "team",
		"todo list --space t":         "team",
		"space remove ":               "team",
		"undo h1":                     "h1",
		"history show h1":             "h1",
		"config get tz":               "tz",
		"config set output ":          "json|text|auto",
		"memory timeline --id ":       id,
		"memo add x y --tag ":         "food",
		"memo get r --store /nowhere": "",
		"--store /nowhere memo get r": "",
		"--store nope:// memo get ":   "",
	} {
		if got := strings.Join(w.candidates(strings.Split(line, " ")...), "|"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for line, about := range map[string]string{"memo get r": "likes [31mramen", "todo done ": "Buy milk",
		"cal delete ": "Dinner", "undo h2": "Kyoto trip",
		"memo get K": strings.Repeat("長い", 29) + "長…"} {
		if out := w.run(append([]string{"complete", "--"}, strings.Split(line, " ")...)...).out; !strings.HasSuffix(
			out, "\t"+about+"\n") {
			t.Errorf("%q: %q", line, out)
		}
	}
}

// candidates returns the completions of the last word of a line.
func (w *world) candidates(words ...string) (found []string) {
	w.t.Helper()
	for row := range strings.Lines(w.run(append([]string{"complete", "--"}, words...)...).out) {
		word, _, _ := strings.Cut(row, "\t")
		found = append(found, word)
	}
	return found
}
