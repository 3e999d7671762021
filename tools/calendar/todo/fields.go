package todo

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/internal/repeat"
	"techo/store/ledger"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
)

// Fields are the fields of a to-do in an input that its tools share.
type Fields struct {
	Description *string  `json:"description" doc:"The description" list:"bare"`
	Location    *string  `json:"location" doc:"The location" list:"bare"`
	Priority    *int     `json:"priority" minimum:"0" maximum:"9" doc:"1 is the highest, 9 the lowest, 0 none"`
	URL         *string  `json:"url" maxLength:"2000" doc:"A link" list:"bare"`
	Categories  []string `json:"categories,omitempty" doc:"Labels" list:"bare"`
	Alarms      []string `json:"alarms,omitempty" allowSingle:"true" doc:"Alarms before it is due, e.g. 10m"`
	Recurrence  []string `json:"recurrence,omitempty" allowSingle:"true" doc:"RFC 5545 rules: FREQ=WEEKLY;BYDAY=MO"`
	Repeat      *string  `json:"repeat" doc:"The repetition in words: daily, weekdays, 3 days after it was done"`
	Start       *string  `json:"start" doc:"Lists hide it until this day or time, e.g. 2026-01-03"`

	After waitedFor `json:"after,omitempty" doc:"Ids of to-dos that must be done before"`

	after *todo.Period // how long after it was done it is due again
}

// waitedFor are ids of to-dos.
type waitedFor []string

// FieldTags limits how many there are.
func (waitedFor) FieldTags() reflect.StructTag { return `maxItems:"100" minLength:"1" record:"todo"` }

// order sets which to-dos of its calendar a to-do waits for.
func (in *Fields) order(ctx context.Context, env *tools.Env, t *todo.Todo) error {
	if in.After == nil {
		return nil
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return err
	}
	uids, err := todo.Of(st.Ledger).UIDsOf(ctx, t, in.After)
	if err != nil {
		return explainOrder(env, err)
	}
	t.SetWaitsFor(uids)
	return nil
}

// explainOrder describes what is wrong with the to-dos that another one is to wait for.
func explainOrder(env *tools.Env, err error) error {
	var (
		cycle     *todo.CycleError
		elsewhere *todo.ElsewhereError
		missing   *ledger.NotFoundError
	)
	switch {
	case errors.As(err, &cycle):
		return env.Fail(tools.Conflict, "The to-dos would wait for each other: %s already waits for this one",
			cycle.Through).WithHint(env.Hint("Leave it out of %s, or change the other one with %s", tools.Field("after"),
			tools.Use("todo edit", cycle.Through)))
	case errors.As(err, &elsewhere):
		return env.Fail(tools.InvalidInput, "The to-do %s is in another calendar", elsewhere.ID).
			WithHint(env.Hint("A to-do waits for others of its calendar; move one with %s",
				tools.Use("todo move", elsewhere.ID)))
	case errors.As(err, &missing) && missing.Kind == ledger.KindTodo:
		e := env.Fail(tools.NotFound, "The to-do was not found")
		e.Details = []tools.Detail{{Path: "/after", Message: missing.Name}}
		return e.WithHint(env.Hint("See %s", backend.Search("todo list", missing.Name, tools.Field("status", "all"))))
	}
	return err
}

// repetition replaces a repetition in words, of its own or in due, by its recurrence, and returns
// the first due time.
func (in *Fields) repetition(f *agenda.Checker, due string) string {
	words := agenda.RepeatWords(f, in.Repeat, &in.Recurrence)
	if after, ok := repeat.AfterDone(words); ok {
		in.setAfter(f, after)
		return cmp.Or(due, agenda.Today(f.Env).Format(time.DateOnly))
	}
	if due == "" && words == "" {
		return firstDue(f, in.Recurrence)
	}
	r := f.Repetition("due", words, due, "")
	if r.Lines != nil {
		in.Recurrence = r.Lines
	}
	return r.Start
}

// setAfter sets the time after which a to-do that was done is due again.
func (in *Fields) setAfter(f *agenda.Checker, p repeat.Period) {
	in.after = &todo.Period{N: p.N, Unit: periodUnits[p.Unit]}
	f.Meanings.Repeats(f.Env, afterText(f.Env, *in.after))
}

// periodUnits are the units of a todo.Period by repeat.Unit.
const periodUnits = "DWMY"

// afterText describes the time after which a to-do that was done is due again.
func afterText(env *tools.Env, p todo.Period) string {
	unit := repeat.Unit(strings.IndexByte(periodUnits, p.Unit))
	return env.Localize("%s after it was done", backend.LengthText(env, repeat.Period{N: p.N, Unit: unit}))
}

// firstDue returns the first day from today on that a recurrence without a due date has, "" for
// none.
func firstDue(f *agenda.Checker, lines []string) (day string) {
	for _, l := range lines {
		rule, err := recur.Parse(strings.TrimPrefix(l, "RRULE:"))
		if err != nil {
			continue
		}
		today := agenda.Today(f.Env)
		series := recur.New(rule, today, true, time.Time{}).Limit(&recur.Budget{Steps: 1 << 16})
		series.Walk(today, today.AddDate(8, 0, 1), func(t time.Time) bool {
			day = t.Format(time.DateOnly)
			return false
		})
		return day
	}
	return ""
}

// apply changes the fields of a to-do.
func (in *Fields) apply(f *agenda.Checker, o *todo.Occurrence) error {
	t := o.Todo
	if in.Description != nil {
		t.Description = *in.Description
	}
	if in.Location != nil {
		t.Location = *in.Location
	}
	if in.Priority != nil {
		t.Priority = *in.Priority
	}
	agenda.SetDetails(f, &t.Event, &agenda.DetailsIn{URL: in.URL, Categories: in.Categories, Alarms: in.Alarms})
	if in.Alarms != nil {
		alarmsBeforeDue(t)
	}
	in.applyRecurrence(f, t)
	if in.Start == nil {
		return nil
	}
	return setStart(f, o, *in.Start)
}

// applyRecurrence changes the repetition of a to-do.
func (in *Fields) applyRecurrence(f *agenda.Checker, t *todo.Todo) {
	if in.after != nil {
		if t.SetAfterDone(in.after); t.RecurrenceID != "" {
			f.Add("repeat", "cannot be set for one occurrence of a recurring to-do")
		}
		t.Starts = hasSpan(t)
		return
	}
	if in.Recurrence == nil {
		return
	}
	t.SetAfterDone(nil)
	t.Recurrence = f.Recurrence(in.Recurrence)
	switch {
	case t.RecurrenceID != "":
		f.Add("recurrence", "cannot be set for one occurrence of a recurring to-do")
	case len(t.Recurrence) > 0 && !t.HasDue && !t.Starts:
		f.Add("recurrence", "requires due")
	case len(t.Recurrence) > 0 && !t.Starts && t.HasDue: // a rule needs a start
		t.Starts = true
	}
}
