package todo

import (
	"context"
	"strings"

	"techo/tools"
	"techo/tools/calendar/agenda"
)

// Get is the tool get_todo.
var Get = &tools.Tool{
	Name:    "get_todo",
	For:     tools.Agents,
	Command: "todo get",
	About:   "Show one to-do",
	Details: "Of a recurring to-do it shows the next occurrence; those that are done have ids of " +
		"their own, from list_todos.",
	Effect:      tools.Reads,
	Sharing:     tools.OneSpace,
	Preapproved: true,
	World:       true,
	Words:       []string{"todo_id"},
	Refused:     "Could not show the to-do: %s",
	Examples:    []tools.Example{{Does: "Show a to-do", Line: `todo get vc1nb01sb9sq`}},
	Run:         tools.Func[IDIn, GetOut](getTodo),
}

// IDIn is the input of the tools that need only the id of a to-do.
type IDIn struct {
	TodoID string `json:"todo_id" minLength:"1" doc:"The to-do's id" list:"bare" record:"todo"`
}

// GetOut is the result of get_todo.
type GetOut struct {
	Todo    Todo   `json:"todo"`
	Message string `json:"message"`
	line    string
}

func getTodo(ctx context.Context, env *tools.Env, in IDIn) (out GetOut, err error) {
	b, err := agenda.TodosWith(ctx, env, in.TodoID, tools.Reads)
	if err != nil {
		return out, err
	}
	o, err := b.Get(ctx, in.TodoID)
	if err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	t, err := ToTodo(env, &o).placed(ctx, env, &o)
	if err != nil {
		return out, err
	}
	return GetOut{t, TodoSummary(env, &o), todoLine(env, &o)}, nil
}

// Text returns the fields of the to-do, one per line.
func (o GetOut) Text(env *tools.Env) string {
	return strings.Join(append([]string{o.line}, todoFields(env, &o.Todo)...), "\n")
}
