package todo

import (
	"context"

	"techo/tools"
	"techo/tools/calendar/agenda"
)

// Remove is the tool remove_todo.
var Remove = &tools.Tool{
	Name:     "remove_todo",
	For:      tools.Agents,
	Command:  "todo remove",
	About:    "Remove a to-do",
	More:     "Removes a recurring to-do with all of its occurrences, also those that are done.",
	Effect:   tools.Removes,
	Sharing:  tools.OneSpace,
	World:    true,
	Words:    []string{"todo_id"},
	Refused:  "Could not remove the to-do: %s",
	Examples: []tools.Example{{Does: "Remove a to-do", Line: `todo remove vc1nb01sb9sq`}},
	Run:      tools.Func[IDIn, RemoveOut](removeTodo),
}

// RemoveOut is the result of remove_todo.
type RemoveOut struct {
	Removed Todo   `json:"removed"`
	Message string `json:"message"`
}

func removeTodo(ctx context.Context, env *tools.Env, in IDIn) (out RemoveOut, err error) {
	b, err := agenda.TodosWith(ctx, env, in.TodoID, tools.Removes)
	if err != nil {
		return out, err
	}
	o, err := b.Remove(ctx, in.TodoID)
	if err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	done := env.Localize("Removed the to-do: %s", TodoSummary(env, &o))
	return RemoveOut{ToTodo(env, &o), tools.AfterPurge(ctx, env, done)}, nil
}
