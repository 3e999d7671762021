package commands

import (
	"strings"
	"testing"
)

// TestVerbs checks each word for an action in each family: it runs a command of
// the family or is answered with a suggestion.
func TestVerbs(t *testing.T) {
	words := []string{"add", "create", "get", "show", "list", "edit", "update", "remove", "delete"}
	for family, commands := range map[string]map[string]string{
		"memo": {"add": "memo add", "get": "memo get", "list": "memo list", "edit": "memo edit",
			"remove": "memo remove"},
		"memory": {"add": "memory add", "get": "memory get", "list": "memory list", "edit": "memory edit",
			"remove": "memory remove"},
		"cal": {"add": "cal create", "get": "cal get", "list": "cal list", "edit": "cal update",
			"remove": "cal delete"},
		"ask":   {"get": "ask show", "list": "ask list", "remove": "ask cancel"},
		"token": {"add": "token add", "list": "token list", "remove": "token remove"},
		"fs":    {"list": "fs list", "edit": "fs edit", "remove": "fs remove"},
		"web":   {}, "store": {},
	} {
		for _, word := range words {
			usual := map[string]string{"create": "add", "show": "get", "update": "edit", "delete": "remove"}[word]
			if usual == "" {
				usual = word
			}
			want := commands[usual]
			if family == "cal" && word == "remove" {
				continue // it removes a calendar
			}
			if want == "" {
				if family != "ask" { // its other words are questions
					wantSuggestion(t, family, word)
				}
				continue
			}
			text := newWorld(t).run(family, word, "--help").text()
			if !strings.HasPrefix(text, "techo "+want) {
				t.Errorf("%s %s is not %s: %.80s", family, word, want, text)
			}
		}
	}
	for _, c := range []struct{ family, word, want string }{
		{"fs", "get", "'read'"}, {"fs", "create", "'write'"}, {"fs", "add", "'write'"},
		{"memory", "find", "'search'"}, {"memo", "cancel", "'remove'"}, {"cal", "cancel", "'delete', 'remove'"},
		{"store", "show", "'info'"}, {"memo", "write", "'add', 'edit'"}, {"memo", "search", "'list'"},
		{"cal", "find", "'list'"}, {"fs", "search", "'glob'"}, {"web", "get", "'fetch'"},
		{"memory", "rm", "'remove'"},
		{"cal", "ls", "'list'"}, {"memories", "list", "'memory'"}, {"calendar", "add", "'cal'"},
		{"events", "list", "'cal'"}, {"files", "read", "'fs'"}, {"token", "get", "'list'"},
	} {
		e := newWorld(t).run(c.family, c.word).fails("invalid_input")
		if e.Hint != "Did you mean "+c.want+"?" {
			t.Errorf("%s %s: hint %q, want %s", c.family, c.word, e.Hint, c.want)
		}
	}
}

func wantSuggestion(t *testing.T, family, word string) {
	t.Helper()
	e := newWorld(t).run(family, word).fails("invalid_input")
	if !strings.HasPrefix(e.Hint, "Did you mean ") && !strings.HasPrefix(e.Hint, "One of: ") {
		t.Errorf("%s %s: hint %q", family, word, e.Hint)
	}
}

// TestSpellings checks that no two commands share a name.
func TestSpellings(t *testing.T) {
	owner := map[string]string{}
	for _, c := range allCommands() {
		for _, name := range append(c.Tool.Spellings(), c.Tool.Command) {
			if other := owner[name]; other != "" {
				t.Errorf("%q is %q and %q", name, other, c.Tool.Command)
			}
			owner[name] = c.Tool.Command
		}
	}
	for alias, want := range map[string]string{
		"import calendar": "cal import", "memory import": "import memories", "memory export": "export memories",
		"memo export": "export memos", "memo import": "import memos",
	} {
		if owner[alias] != want {
			t.Errorf("%q is %q, want %q", alias, owner[alias], want)
		}
	}
}
