package todo

import (
	"context"
	"time"

	"techo/internal/entry"
	"techo/internal/repeat"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

// Add is the tool add_todo.
var Add = &tools.Tool{
	Name:    "add_todo",
	For:     tools.Agents,
	Command: "todo add",
	About:   "Add a to-do",
	More:    "To-dos never block time.",
	Details: "due is a day or a time, also in words: tomorrow, next fri 17:00, in 2 hours; without " +
		"it, a deadline in the title (Call mum by friday) is read. A to-do that is due on a day " +
		"is overdue when the day is over. A recurring to-do shows its next occurrence. Lists " +
		"hide a to-do until its start.",
	Notes: []tools.Note{
		{Text: "%s goes on to the occurrence after the next one.", Names: []string{"todo done"}},
		{Text: "For an appointment use %s.", Names: []string{"cal create"}},
	},
	Effect:    tools.Adds,
	Sharing:   tools.OneSpace,
	Calendars: []string{"calendar"},
	World:     true,
	Words:     []string{"title…"},
	Refused:   "Could not add the to-do: %s",
	Examples: []tools.Example{
		{Does: "A to-do for a day", Line: `todo add Send the report --due 2026-01-09 --priority 1`},
		{Does: "Every Monday at nine",
			Line: `todo add "Water the plants" --due "next mon 9:00" --recurrence FREQ=WEEKLY`},
		{Does: "One that must wait for another", Line: `todo add "Publish it" --after vc1nb01sb9sq`},
	},
	Run: tools.Func[AddIn, Out](addTodo),
}

// AddIn is the input of add_todo.
type AddIn struct {
	Title string `json:"title" format:"nonblank" doc:"What is to be done"`
	Due   string `json:"due,omitempty" doc:"When it is due: a day or a time, e.g. 2026-01-05, tomorrow 17:00"`
	Fields
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name, created if missing (default: default)"`
}

// Elsewhere reports whether the calendar is kept by another service.
func (AddIn) Elsewhere(ctx context.Context, env *tools.Env, input []byte) bool {
	return agenda.AddsElsewhere(ctx, env, input)
}

// Keeps lists the texts that are kept.
func (AddIn) Keeps() []string {
	return []string{"title", "location", "description", "categories", "attendees", "organizer", "url"}
}

// Out is the result of the tools that show or change one to-do.
type Out struct {
	Todo Todo  `json:"todo"`
	Next *Todo `json:"next,omitempty"` // of a recurring one, after complete_todo

	// Skipped counts the past occurrences that complete_todo left out.
	Skipped int `json:"skipped,omitempty"`
	when.Meaning
	Message string `json:"message"`
}

func addTodo(ctx context.Context, env *tools.Env, in AddIn) (out Out, err error) {
	f := &agenda.Checker{Env: env}
	note := in.readTitle(env)
	t := todo.Todo{Event: event.Event{Title: in.Title, Status: todo.NeedsAction, Form: event.Floating,
		Start: time.Unix(0, 0).UTC(), Calendar: f.Calendar(in.Calendar)}}
	if in.Due == "" && in.Start != nil { // a repetition in start has a first date that is due
		if _, _, repeats := repeat.Find(*in.Start); repeats {
			in.Due, in.Start = *in.Start, nil
		}
	}
	draft := todo.Occurrence{Todo: &t}
	if in.Due = in.repetition(f, in.Due); in.Due != "" {
		if err := setDue(f, &draft, in.Due); err != nil {
			return out, agenda.ExplainTodo(env, err)
		}
	}
	if err := in.apply(f, &draft); err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	if len(in.After) > 0 {
		var err error
		if _, t.Calendar, err = agenda.TodosOf(ctx, env, t.Calendar, tools.Adds); err != nil {
			return out, agenda.ExplainTodo(env, err)
		}
		if err := in.order(ctx, env, &t); err != nil {
			return out, err
		}
	}
	o, err := agenda.DespiteRenaming([]string{t.Calendar}, func() (todo.Occurrence, error) {
		return addToCalendar(ctx, env, t)
	})
	if err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	meaning := f.Meanings.Meaning()
	if note != "" { // there is no other time
		meaning.Note = note
	}
	added := ToTodo(env, &o)
	if len(in.After) > 0 {
		if added, err = added.placed(ctx, env, &o); err != nil {
			return out, err
		}
	}
	return Out{Todo: added, Meaning: meaning,
		Message: env.Localize("Added the to-do: %s", TodoSummary(env, &o))}, nil
}

// readTitle takes a deadline out of a title without a time of its own: Call mum by next friday. Of another
// time, which may belong to the title, it only returns a note.
func (in *AddIn) readTitle(env *tools.Env) (note string) {
	if in.Due != "" || in.Start != nil || in.Repeat != nil || len(in.Recurrence) > 0 {
		return ""
	}
	l := entry.Read(in.Title, env.Now().In(env.Zone))
	switch {
	case l.When == "" || l.Title == "" || l.Unclear:
	case l.Deadline && l.Second+l.Guessed+l.Zone == "":
		in.Title, in.Due = l.Title, l.When
	default:
		note = env.Hint("%q stays in the title; as its due time: %s", l.When, tools.Field("due", l.When))
	}
	return note
}

// addToCalendar adds a to-do to its calendar; the store finds the chosen default.
func addToCalendar(ctx context.Context, env *tools.Env, t todo.Todo) (o todo.Occurrence, err error) {
	b, name, err := agenda.TodosOf(ctx, env, t.Calendar, tools.Adds)
	if err != nil {
		return o, err
	}
	if _, here := b.(backend.LocalTodos); !here {
		t.Calendar = name
	}
	return b.Add(ctx, t)
}

// Text returns the message with the id.
func (o Out) Text(env *tools.Env) string {
	return env.Localize("%s (id: %s)", o.Message, o.Todo.TodoID)
}
