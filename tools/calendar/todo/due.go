package todo

import (
	"slices"
	"strings"
	"time"

	"techo/store/event"
	"techo/store/todo"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/ics"
)

// setDue sets the time at which a to-do is due; "" removes it. A series goes on from
// the occurrence at the new time. A start that would be later is left out.
func setDue(f *agenda.Checker, o *todo.Occurrence, text string) error {
	t := o.Todo
	if strings.TrimSpace(text) == "" {
		removeDue(f, t)
		return nil
	}
	base := time.Time{}
	if o.HasDue {
		base = o.DueWall()
	}
	m, ok := f.Start("due", text, base)
	if !ok {
		return nil
	}
	due := event.Event{}
	f.SetTimes(&due, m, "", 0)
	home := ics.ZoneOf(&t.Event, f.Env.Zone)
	if t.Form == event.Timed && due.Form == event.Timed && (t.HasDue || t.Starts) { // keep its zone
		at, _ := due.Span(due.Start, ics.ZoneOf(&due, f.Env.Zone))
		due.Zone, due.ZoneRules = t.Zone, t.ZoneRules
		due.SetStart(at, home)
	}
	switch {
	case t.Recurs():
		err := moveSeries(o, &due, home)
		o.Wall = t.Start
		return err
	case t.Starts && t.Form == due.Form && !due.Start.Before(t.Start):
		t.SetDue(&due, home)
	default:
		t.Starts = len(t.Recurrence) > 0
		t.Start, t.Later, t.Days, t.Length = due.Start, due.Later, 0, 0
		t.Form, t.Zone, t.ZoneRules = due.Form, due.Zone, due.ZoneRules
	}
	t.HasDue, o.Wall = true, t.Start
	return nil
}

// removeDue removes the time at which a to-do is due.
func removeDue(f *agenda.Checker, t *todo.Todo) {
	t.HasDue, t.Days, t.Length = false, 0, 0
	if _, after := t.AfterDone(); after || len(t.Recurrence) > 0 {
		f.Add("due", "is required by recurrence")
	}
	if !t.Starts {
		t.Form, t.Zone, t.ZoneRules, t.Later = event.Floating, "", "", false
		t.Start = time.Unix(0, 0).UTC()
	}
}

// moveSeries moves the current occurrence of a series to another time at which it is
// due, and the later ones likewise. Earlier ones are done.
func moveSeries(o *todo.Occurrence, due *event.Event, home *time.Location) error {
	t := o.Todo
	was := t.Event
	_, rest := event.SplitRecurrence(&was, o.Wall, home)
	was.Recurrence = rest
	t.Start, t.Later = due.Start, due.Later
	if t.HasDue && t.Form == due.Form {
		t.Start = o.Wall.Add(due.Start.Sub(o.DueWall()))
	} else {
		t.Days, t.Length = 0, 0
	}
	t.Form, t.Zone, t.ZoneRules = due.Form, due.Zone, due.ZoneRules
	t.Recurrence, t.HasDue = slices.Clone(rest), true
	_, err := event.Follow(&t.Event, rest, o.Wall, home, home)
	return err
}
