package todo

import (
	"context"
	"strings"
	"time"

	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/when"
)

// Edit is the tool edit_todo.
var Edit = &tools.Tool{
	Name:    "edit_todo",
	For:     tools.Agents,
	Command: "todo edit",
	About:   "Change the given fields of a to-do",
	More: "status needs-action opens a to-do again. due of a recurring to-do moves its next occurrence and all " +
		"later ones.",
	Effect:   tools.Changes,
	Sharing:  tools.OneSpace,
	World:    true,
	Words:    []string{"todo_id"},
	Refused:  "Could not change the to-do: %s",
	Examples: []tools.Example{{Does: "Put a to-do off", Line: `todo edit vc1nb01sb9sq --due +2d`}},
	Run:      tools.Func[EditIn, Out](editTodo),
}

// EditIn is the input of edit_todo.
type EditIn struct {
	TodoID string  `json:"todo_id" minLength:"1" doc:"The to-do's id" list:"bare" record:"todo"`
	Title  *string `json:"title" format:"nonblank" doc:"New title" list:"bare"`
	Due    *string `json:"due" doc:"New time or day, e.g. 2026-01-05, tomorrow 17:00; an empty text removes it"`
	Status *string `json:"status" enum:"needs-action,in-process,completed,cancelled" doc:"The status" list:"bare"`
	Fields
	Percent      *int   `json:"percent" minimum:"0" maximum:"100" doc:"How much is done" list:"bare"`
	ExpectedEtag string `json:"expected_etag,omitempty" doc:"Fail if the to-do changed since it was read"`

	waits []string // UIDs of the to-dos in after; nil leaves them
}

// Keeps lists the texts that are kept.
func (EditIn) Keeps() []string { return AddIn{}.Keeps() }

// Controls returns the fields that change nothing.
func (EditIn) Controls() []string { return []string{"todo_id", "expected_etag"} }

func editTodo(ctx context.Context, env *tools.Env, in EditIn) (out Out, err error) {
	f := &agenda.Checker{Env: env}
	unknown := in // the to-do is not known yet, and so not when it is due
	if unknown.Start = nil; in.Start != nil && strings.TrimSpace(*in.Start) != "" {
		f.Start("start", *in.Start, time.Time{})
	}
	if err := unknown.change(f, &todo.Occurrence{Todo: &todo.Todo{Starts: true, HasDue: true}}); err != nil {
		return out, agenda.ExplainTodo(env, err)
	}
	if err := f.Err(); err != nil {
		return out, err
	}
	b, err := agenda.TodosWith(ctx, env, in.TodoID, tools.Changes)
	if err != nil {
		return out, err
	}
	if in.After != nil {
		o, err := b.Get(ctx, in.TodoID)
		if err == nil {
			err = in.order(ctx, env, o.Todo)
		}
		if err != nil {
			return out, agenda.ExplainTodo(env, err)
		}
		in.waits = append([]string{}, o.WaitsFor()...)
	}
	var meant when.Meaning
	o, err := b.Edit(ctx, in.TodoID, func(o *todo.Occurrence) error {
		f := &agenda.Checker{Env: env}
		if in.ExpectedEtag != "" && in.ExpectedEtag != o.Etag {
			return &ledger.ChangedError{ID: in.TodoID, Etag: o.Etag}
		}
		if err := in.change(f, o); err != nil {
			return err
		}
		meant = f.Meanings.Meaning()
		return f.Err()
	})
	if err != nil {
		return out, agenda.ExplainTodo(env, explainOrder(env, err))
	}
	changed := ToTodo(env, &o)
	if len(o.WaitsFor()) > 0 {
		if changed, err = changed.placed(ctx, env, &o); err != nil {
			return out, err
		}
	}
	return Out{Todo: changed, Meaning: meant,
		Message: env.Localize("Changed the to-do: %s", TodoSummary(env, &o))}, nil
}

// changeDue applies the new due time, and a repetition in words, which fields then has.
func (in *EditIn) changeDue(f *agenda.Checker, fields *Fields, o *todo.Occurrence) error {
	switch {
	case in.Due != nil:
		due := *in.Due
		if due != "" || fields.Repeat != nil {
			due = fields.repetition(f, due)
		}
		if fields.Recurrence != nil && len(fields.Recurrence) == 0 {
			o.Recurrence = nil // it would require a due time
			o.SetAfterDone(nil)
		}
		return setDue(f, o, due)
	case fields.Repeat == nil && (len(fields.Recurrence) == 0 || o.HasDue || o.Starts):
		return nil
	}
	kept := ""
	if o.HasDue {
		kept = o.DueWall().Format("2006-01-02T15:04:05")
		if o.Form == event.AllDay {
			kept = o.DueWall().Format(time.DateOnly)
		}
	}
	due := fields.repetition(f, kept)
	if o.HasDue || due == "" {
		return nil
	}
	return setDue(f, o, due)
}

// change applies the input to a to-do.
func (in *EditIn) change(f *agenda.Checker, o *todo.Occurrence) error {
	t := o.Todo
	if in.Title != nil {
		t.Title = *in.Title
	}
	fields := in.Fields
	if err := in.changeDue(f, &fields, o); err != nil {
		return err
	}
	if err := fields.apply(f, o); err != nil {
		return err
	}
	if in.waits != nil {
		t.SetWaitsFor(in.waits)
	}
	if in.Percent != nil {
		t.Percent = *in.Percent
	}
	if in.Status == nil || *in.Status == t.Status {
		return nil
	}
	switch t.Status = *in.Status; {
	case t.Status == todo.Completed:
		t.CompletedAt, t.Percent = f.Env.Now(), 100
	case !t.CompletedAt.IsZero():
		t.CompletedAt = time.Time{}
		if t.Percent == 100 && in.Percent == nil {
			t.Percent = 0
		}
	}
	return nil
}
