package todo

import (
	"context"

	"techo/tools"
	"techo/tools/calendar/agenda"
)

// Complete is the tool complete_todo.
var Complete = &tools.Tool{
	Name:    "complete_todo",
	For:     tools.Agents,
	Command: "todo done",
	Aliases: []string{"todo complete"},
	About:   "Mark a to-do as done",
	More: "Of a recurring to-do it completes the next occurrence; next in the result is the one after it, if there " +
		"is one. A to-do that is already done does not change.",
	Effect:   tools.Changes,
	Sharing:  tools.OneSpace,
	World:    true,
	Words:    []string{"todo_id"},
	Refused:  "Could not complete the to-do: %s",
	Examples: []tools.Example{{Does: "Mark a to-do as done", Line: `todo done vc1nb01sb9sq`}},
	Run:      tools.Func[IDIn, Out](completeTodo),
}

func completeTodo(ctx context.Context, env *tools.Env, in IDIn) (out Out, err error) {
	b, err := agenda.TodosWith(ctx, env, in.TodoID, tools.Changes)
	if err != nil {
		return out, err
	}
	done, next, err := b.Complete(ctx, in.TodoID, env.Now())
	if err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	out = Out{Todo: ToTodo(env, &done), Message: env.Localize("Done: %s", TodoSummary(env, &done))}
	if next.Todo != nil && next.Open() {
		n := ToTodo(env, &next)
		out.Next = &n
		out.Message += env.Localize("; next: %s", dueText(env, &next))
	}
	return out, nil
}
