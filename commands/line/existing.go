package line

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"techo/commands/run"
	"techo/tools"
	"techo/tools/schema"
)

// listing is a call that lists the records of a kind.
type listing struct {
	tool, input string
	list        string // the list in the result
	word, about string // the fields of its elements
}

// listingOf returns the call that lists what a field names: the records of a kind, or those that a
// field with this name has in every tool.
func listingOf(p schema.Property) listing {
	of := p.Schema
	if of.Kind == schema.Array {
		of = of.Items
	}
	switch cmp.Or(of.Record, p.Name) {
	case "memo":
		return listing{"list_memo", `{"limit":1000}`, "memos", "name", "content"}
	case "tag", "tags":
		return listing{"list_memo_tags", `{}`, "tags", "tag", ""}
	case "memory":
		return listing{"list_memory", `{"limit":200}`, "memories", "id", "caption"}
	case "event":
		const soon = `{"date_from":"today","date_to":"+90d","limit":200}`
		return listing{"list_events", soon, "events", "event_id", "title"}
	case "todo":
		const open = `{"later":true,"limit":1000}`
		return listing{"list_todos", open, "todos", "todo_id", "title"}
	case "question":
		return listing{"list_questions", `{}`, "questions", "question_id", "question"}
	case "change":
		return listing{"list_history", `{"limit":50}`, "changes", "id", "title"}
	case "calendar", "calendars", "to_calendar":
		return listing{"list_calendars", `{}`, "calendars", "name", "kind"}
	case "space", "to_space":
		return listing{"list_spaces", `{}`, "spaces", "name", ""}
	case "token":
		return listing{"token list", `{}`, "tokens", "id", "user"}
	case "setting":
		return listing{"config list", `{}`, "settings", "name", "value"}
	}
	return listing{}
}

// timeout is how long completions wait for a store.
const timeout = 2 * time.Second

// existing returns the names or ids in the store that fit a field. It returns nil
// if the store cannot be read: the command itself reports that.
func (s *App) existing(l Line, p schema.Property) (found []candidate) {
	from := listingOf(p)
	var lister *tools.Tool
	for _, other := range s.Commands() {
		if t := other.Tool; from.tool != "" && (t.Name == from.tool || t.Command == from.tool) {
			lister = t
		}
	}
	r := *s.Run
	r.Resources, r.Out = &run.Resources{}, run.NewPrinter(r.System)
	if lister == nil || len(r.Configure(run.Given{Path: l.Path, Settings: l.Settings, Roots: l.roots})) > 0 {
		return nil
	}
	defer r.Close()
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	result, e := r.CallTool(ctx, lister, tools.Call{Input: []byte(from.input)})
	if e != nil {
		return nil
	}
	var lists map[string]json.RawMessage
	var elements []map[string]any
	if json.Unmarshal(result.JSON, &lists) != nil || json.Unmarshal(lists[from.list], &elements) != nil {
		return nil
	}
	for _, one := range elements {
		word, _ := one[from.word].(string)
		about, _ := one[from.about].(string)
		if word != "" && !strings.ContainsFunc(word, unicode.IsControl) {
			found = append(found, candidate{word, oneLine(about)})
		}
	}
	return found
}

// oneLine shortens a text for the description of a completion.
func oneLine(text string) string {
	const most = 60 // characters
	separates := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	text = strings.Join(strings.FieldsFunc(text, separates), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
