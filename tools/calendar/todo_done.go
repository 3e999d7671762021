package calendar

import (
	"context"

	"techo/tools"
)

// CompleteTodo is the tool complete_todo.
var CompleteTodo = &tools.Tool{
	Name:    "complete_todo",
	For:     tools.Agents,
	Command: "todo done",
	Aliases: []string{"todo complete"},
	About:   "Mark a to-do as done",
	More: "Of a recurring to-do it completes the next occurrence; next in the result is the one after it, if there " +
		"is one. A to-do that is already done does not change.",
	Effect:  tools.Changes,
	Sharing: tools.OneSpace,
	World:   true,
	Words:   []string{"todo_id"},
	Refused: "Could not complete the to-do: %s",
	Examples: []tools.Example{{Does: "Mark a to-do as done", Line: `todo done $(techo todo list --query report ` +
		`--fields todos.todo_id | cut -d'"' -f6)`}},
	Run: tools.Func[TodoIDIn, TodoOut](completeTodo),
}

func completeTodo(ctx context.Context, env *tools.Env, in TodoIDIn) (out TodoOut, err error) {
	b, err := todosWith(ctx, env, in.TodoID, tools.Changes)
	if err != nil {
		return out, err
	}
	done, next, err := b.complete(ctx, in.TodoID, env.Now())
	if err != nil {
		return out, explainTodo(env, err)
	}
	out = TodoOut{Todo: toTodo(env, &done), Message: env.Localize("Done: %s", todoSummary(env, &done))}
	if next.Todo != nil && next.Open() {
		n := toTodo(env, &next)
		out.Next = &n
		out.Message += env.Localize("; next: %s", dueText(env, &next))
	}
	return out, nil
}
