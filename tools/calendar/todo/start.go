package todo

import (
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// setStart sets the time until which lists hide a to-do; "" removes it. In a series the later
// occurrences move likewise.
func setStart(f *agenda.Checker, o *todo.Occurrence, text string) error {
	t := o.Todo
	home := ics.ZoneOf(&t.Event, f.Env.Zone)
	if strings.TrimSpace(text) == "" {
		return removeStart(f, o, home)
	}
	m, ok := f.Start("start", text, time.Time{})
	if !ok {
		return nil
	}
	start := event.Event{}
	f.SetTimes(&start, m, "", 0)
	start.Days, start.Length = 0, 0
	if !t.HasDue {
		t.Starts = true
		t.Start, t.Later, t.Days, t.Length = start.Start, start.Later, 0, 0
		t.Form, t.Zone, t.ZoneRules = start.Form, start.Zone, start.ZoneRules
		return nil
	}
	if start.Form != event.AllDay && t.Form == event.AllDay {
		f.Add("start", "must be a day, as due is one")
		return nil
	}
	inForm(f, &start, t, home)
	due := dueOf(o)
	if start.Start.After(due.Start) {
		f.Add("start", "must not be after due (%s)", dueText(f.Env, o))
		return nil
	}
	spanned := hasSpan(t)
	err := moveStart(o, &start, &due, home)
	if !spanned {
		alarmsBeforeDue(t)
	}
	return err
}

// inForm gives a start the form and the zone of a to-do that is due. A day becomes its beginning.
func inForm(f *agenda.Checker, start *event.Event, t *todo.Todo, home *time.Location) {
	if t.Form == event.AllDay {
		return
	}
	if start.Form == event.AllDay {
		start.Form, start.Zone = event.Timed, when.ZoneName(f.Env)
	}
	at, _ := start.Span(start.Start, ics.ZoneOf(start, f.Env.Zone))
	if start.Form = t.Form; t.Form == event.Floating {
		start.Start, start.Zone, start.ZoneRules = zone.Wall(at, f.Env.Zone), "", ""
		return
	}
	start.Zone, start.ZoneRules = t.Zone, t.ZoneRules
	start.SetStart(at, home)
}

// dueOf returns when an occurrence is due, as the start of an event.
func dueOf(o *todo.Occurrence) event.Event {
	return event.Event{Start: o.DueWall(), Form: o.Form, Zone: o.Zone, ZoneRules: o.ZoneRules}
}

// hasSpan reports whether a to-do starts before it is due.
func hasSpan(t *todo.Todo) bool { return t.Starts && (t.Days > 0 || t.Length > 0) }

// moveStart gives the current occurrence another start and keeps its due time. The later ones of a
// series follow; earlier ones are done.
func moveStart(o *todo.Occurrence, start, due *event.Event, home *time.Location) error {
	t, wall := o.Todo, o.Wall
	recurs := t.Recurs()
	if recurs {
		was := t.Event
		_, t.Recurrence = event.SplitRecurrence(&was, wall, home)
		t.Recurrence = slices.Clone(t.Recurrence)
	}
	t.Starts, t.Start, t.Later = true, start.Start, start.Later
	t.SetDue(due, home)
	if o.Wall = t.Start; !recurs {
		return nil
	}
	_, err := event.Follow(&t.Event, t.Recurrence, wall, home, home)
	return err
}

func removeStart(f *agenda.Checker, o *todo.Occurrence, home *time.Location) error {
	t := o.Todo
	if t.HasDue {
		due := dueOf(o)
		err := moveStart(o, &due, &due, home)
		t.Starts = len(t.Recurrence) > 0 // a rule needs a start
		return err
	}
	if len(t.Recurrence) > 0 {
		f.Add("start", "is required by recurrence")
	}
	t.Starts, t.Form, t.Zone, t.ZoneRules, t.Later = false, event.Floating, "", "", false
	t.Start = time.Unix(0, 0).UTC()
	return nil
}

// alarmsBeforeDue makes alarms count from the due time, not from the start.
func alarmsBeforeDue(t *todo.Todo) {
	if !t.HasDue || !hasSpan(t) {
		return
	}
	t.Extra = slices.Clone(t.Extra)
	for i, l := range t.Extra {
		if value, ok := strings.CutPrefix(l, "TRIGGER:"); ok {
			t.Extra[i] = "TRIGGER;RELATED=END:" + value
		}
	}
}

// detailsOf returns the details of a to-do. Alarms that all count from its due time are lengths before that.
func detailsOf(env *tools.Env, t *todo.Todo) ics.Details {
	e := t.Event
	fromStart := func(l string) bool { return strings.HasPrefix(l, "TRIGGER:") }
	if hasSpan(t) && !slices.ContainsFunc(t.Extra, fromStart) {
		e.Days, e.Length = 0, 0
	}
	return ics.DetailsOf(env, &e)
}
