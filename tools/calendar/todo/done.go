package todo

import (
	"context"

	"techo/store/todo"
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
	More: "Of a recurring to-do it completes the next occurrence; next in the result is the one " +
		"after it, if there is one.",
	Details: "Occurrences that were due before now are left out, unless every keeps them. A to-do " +
		"that is already done does not change.",
	Effect:   tools.Changes,
	Sharing:  tools.OneSpace,
	World:    true,
	Words:    []string{"todo_id"},
	Refused:  "Could not complete the to-do: %s",
	Examples: []tools.Example{{Does: "Mark a to-do as done", Line: `todo done vc1nb01sb9sq`}},
	Run:      tools.Func[CompleteIn, Out](completeTodo),
}

// CompleteIn is the input of complete_todo.
type CompleteIn struct {
	IDIn
	Every bool `json:"every,omitempty" doc:"Of a recurring one, keep every occurrence that was due before now"`
}

func completeTodo(ctx context.Context, env *tools.Env, in CompleteIn) (out Out, err error) {
	b, err := agenda.TodosWith(ctx, env, in.TodoID, tools.Changes)
	if err != nil {
		return out, err
	}
	c, err := b.Complete(ctx, in.TodoID, todo.How{At: env.Now(), Every: in.Every})
	if err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	out = Out{Todo: ToTodo(env, &c.Done), Skipped: c.Skipped, Message: env.Localize("Done: %s",
		TodoSummary(env, &c.Done))}
	if c.Next.Todo != nil && c.Next.Open() {
		n := ToTodo(env, &c.Next)
		out.Next = &n
		out.Message += env.Localize("; next: %s", dueText(env, &c.Next))
	}
	if c.Skipped > 0 {
		out.Message += env.Localize("; left out: %s", env.Count(c.Skipped, "%d past occurrence", "%d past occurrences"))
	}
	return out, nil
}
