package todo

import (
	"context"

	"techo/store/calendar"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
)

// Move is the tool move_todo.
var Move = &tools.Tool{
	Name:    "move_todo",
	For:     tools.Agents,
	Command: "todo move",
	About:   "Move a to-do to another calendar or to a shared space",
	Details: "The to-do keeps its ID, its UID and its times; a recurring one moves with all of its " +
		"occurrences. The histories of both places have the move. Earlier versions stay in the " +
		"history of the place where they were. Unless a calendar is named, it goes to the " +
		"default calendar there.",
	Notes: []tools.Note{
		{Text: "%s undoes it in both.", Names: []string{"undo"}},
	},
	Effect:  tools.Changes,
	Sharing: tools.OneSpace,
	Words:   []string{"todo_id"},
	Refused: "Could not move the to-do: %s",
	Examples: []tools.Example{
		{Does: "Share a to-do", Line: `todo move vc1nb01sb9sq --to-space team`},
		{Does: "Take it back", Line: `undo`},
	},
	Run: tools.Func[MoveIn, MoveOut](moveTodo),
}

// MoveIn is the input of move_todo.
type MoveIn struct {
	TodoID string `json:"todo_id" minLength:"1" doc:"The to-do's id" list:"bare" record:"todo"`
	agenda.MoveToIn
}

// MoveOut is the result of move_todo.
type MoveOut struct {
	Todo    Todo   `json:"todo"`
	Message string `json:"message"`
}

func moveTodo(ctx context.Context, env *tools.Env, in MoveIn) (out MoveOut, err error) {
	from, to, err := in.Between(ctx, env)
	if err != nil {
		return out, err
	}
	o, err := calendar.MoveTodo(ctx, from.Ledger, to.Ledger, in.TodoID, in.ToCalendar, env.Zone)
	if err != nil {
		return out, agenda.ExplainTodo(env, agenda.ExplainMove(env, err))
	}
	out.Todo = ToTodo(env, &o)
	out.Todo.Space = to.Ledger.Space
	out.Message = env.Localize("Moved to %s: %s", backend.Label(out.Todo.Space, o.Calendar), TodoSummary(env, &o))
	return out, nil
}
