package line

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"techo/commands/output"
	"techo/commands/run"
	"techo/tools"
)

// listing is a call that lists the values that a field can have.
type listing struct {
	tool, input string
	list        string // the list in the result
	word, about string // the fields of its elements
}

// listings returns the calls by the first word of a command and the name of a field.
func listings(group, field string) listing {
	memories := listing{"list_memory", `{"limit":200}`, "memories", "id", "caption"}
	return map[string]listing{
		"memo memo_name":    {"list_memo", `{"limit":1000}`, "memos", "name", "content"},
		"memo tag":          {"list_memo_tags", `{}`, "tags", "tag", ""},
		"memo tags":         {"list_memo_tags", `{}`, "tags", "tag", ""},
		"memory id":         memories,
		"memory ids":        memories,
		"memory memory_id":  memories,
		"memory memory_ids": memories,
		"ask question_id":   {"list_questions", `{}`, "questions", "question_id", "question"},
		"todo todo_id":      {"list_todos", `{}`, "todos", "todo_id", "title"},
		"cal calendar":      {"list_calendars", `{}`, "calendars", "name", "kind"},
		"cal name":          {"list_calendars", `{}`, "calendars", "name", "kind"},
		"todo calendar":     {"list_calendars", `{}`, "calendars", "name", "kind"},
	}[group+" "+field]
}

// timeout is how long completions wait for a store.
const timeout = 2 * time.Second

// existing returns the names or ids in the store that fit a field. It returns nil
// if the store cannot be read: the command itself reports that.
func (s *App) existing(l Line, c *Command, field string) (found []candidate) {
	group, _, _ := strings.Cut(c.Tool.Command, " ")
	from := listings(group, field)
	var lister *tools.Tool
	for _, t := range s.Run.Offered {
		if t.Name == from.tool {
			lister = t
		}
	}
	r := *s.Run
	r.Resources, r.Out = &run.Resources{}, output.New(r.System)
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
