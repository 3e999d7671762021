package ics

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/legible"
	"techo/internal/zone"
	"techo/store/event"
	"techo/store/todo"
)

// foundTodo is a VTODO of a file.
type foundTodo struct {
	c      *ical.Component
	home   fileZone // of times without a zone
	method string   // iTIP, of its calendar
}

// readTodos converts to-dos of a file, series before the to-dos that replace one of
// their occurrences. Of several with the same UID the newest one counts.
func (r *reader) readTodos(found []foundTodo) (all []todo.Todo) {
	index := map[string]int{} // by UID and occurrence
	r.masters, r.method = map[string]*event.Event{}, ""
	for _, replacing := range []bool{false, true} {
		for _, f := range found {
			if (f.c.Property("RECURRENCE-ID") != nil) != replacing {
				continue
			}
			if f.method != "" && !slices.Contains([]string{"PUBLISH", "REQUEST", event.MethodCancel}, f.method) {
				r.problem(f.c.Line, textOf(f.c, "SUMMARY"), "a message with METHOD:%s changes no to-do", f.method)
				continue
			}
			t := r.readTodo(f)
			if t.Future && f.method != "" {
				r.problem(f.c.Line, t.Title, "a message with RANGE=%s changes nothing", "THISANDFUTURE")
				continue
			}
			if t.Future {
				r.lost(f.c.Line, &t.Event, "RANGE=%s is ignored; the to-do replaces one occurrence", "THISANDFUTURE")
			}
			key := t.UID + "\x00" + t.RecurrenceID
			if i, twice := index[key]; twice {
				r.problem(f.c.Line, t.Title, "a duplicate of an earlier to-do; the newer version is kept")
				if t.Sequence >= all[i].Sequence {
					all[i] = t
				}
				continue
			}
			index[key] = len(all)
			all = append(all, t)
			if t.RecurrenceID == "" {
				e := t.Event
				r.masters[t.UID] = &e
			}
		}
	}
	return all
}

// readTodo converts a VTODO.
func (r *reader) readTodo(f foundTodo) todo.Todo {
	c := f.c
	r.defaultZone = f.home
	r.component = c
	t := todo.Todo{Event: event.Event{Title: textOf(c, "SUMMARY"), Location: textOf(c, "LOCATION"),
		Description: textOf(c, "DESCRIPTION"), Start: time.Unix(0, 0).UTC(), UID: uidOf(c), Line: c.Line}}
	home := r.readDue(&t, c)
	if t.UID == "" {
		content := strings.Join([]string{"todo", t.Title, textOf(c, "DUE"), textOf(c, "DTSTART")}, "\x00")
		digest := sha256.Sum256([]byte(content))
		t.UID = event.NoUID + hex.EncodeToString(digest[:10])
	}
	r.readDetails(&t.Event, c)
	for _, name := range []string{"DUE", "COMPLETED", "PRIORITY", "PERCENT-COMPLETE"} {
		t.Extra = WithProperty(&t.Event, name, nil)
	}
	if id := c.Property("RECURRENCE-ID"); id == nil {
		r.readRecurrence(&t.Event, c, home)
	} else if t.RecurrenceID = r.overriddenID(&t.Event, id, home); t.RecurrenceID == "" {
		r.lost(id.Line, &t.Event, "RECURRENCE-ID %q is not a time; the to-do is kept as a separate one",
			legible.Clip(id.Value))
		t.UID += "#" + legible.Clip(id.Value)
	} else {
		t.Alone = r.masters[t.UID] == nil
		t.Future = strings.EqualFold(id.Param("RANGE"), "THISANDFUTURE")
	}
	t.Priority, t.Percent = r.numberOf(c, "PRIORITY", 9), r.numberOf(c, "PERCENT-COMPLETE", 100)
	if p := c.Property("COMPLETED"); p != nil {
		if at, err := ical.ParseTime(p.Value); err != nil {
			r.problem(p.Line, t.Title, "COMPLETED %q is not a time", legible.Clip(p.Value))
		} else {
			t.CompletedAt = r.instant(p, at, &event.Event{Form: event.Timed}, r.env.Zone)
		}
	}
	if t.Method, t.Status = f.method, todoStatus(c, &t); f.method == event.MethodCancel {
		t.Status = event.Cancelled
	}
	return t
}

// todoStatus returns the status of a VTODO. One that was completed without saying so in
// its status is completed.
func todoStatus(c *ical.Component, t *todo.Todo) string {
	switch status := strings.ToLower(strings.TrimSpace(textOf(c, "STATUS"))); {
	case status == todo.InProcess || status == todo.Completed || status == event.Cancelled ||
		status == todo.NeedsAction:
		return status
	case !t.CompletedAt.IsZero() || t.Percent == 100:
		return todo.Completed
	}
	return todo.NeedsAction
}

// numberOf returns a number from 0 to a maximum, 0 for a missing one.
func (r *reader) numberOf(c *ical.Component, name string, most int) int {
	p := c.Property(name)
	if p == nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(p.Value))
	if err != nil || n < 0 || n > most {
		r.problem(p.Line, textOf(c, "SUMMARY"), "%s %q is not a number from 0 to %s", name, legible.Clip(p.Value),
			strconv.Itoa(most))
		return 0
	}
	return n
}

// readDue sets the start of a to-do, and when it is due.
func (r *reader) readDue(t *todo.Todo, c *ical.Component) (home *time.Location) {
	start, due := r.timeOf(c, "DTSTART"), r.timeOf(c, "DUE")
	t.Starts, t.HasDue = start != nil, due != nil
	switch {
	case start == nil && due == nil:
		t.Form = event.Floating
		return time.UTC
	case start == nil:
		return r.readStart(&t.Event, due.p, due.at)
	}
	if due != nil && due.at.Date != start.at.Date {
		start = r.likeDue(start, due)
	}
	home = r.readStart(&t.Event, start.p, start.at)
	if due == nil {
		r.readDuration(t, c)
		return home
	}
	var length time.Duration
	if t.Form == event.AllDay {
		length = due.at.Wall.Truncate(24 * time.Hour).Sub(t.Start)
		t.Days = int(length / (24 * time.Hour))
	} else {
		length = r.instant(due.p, due.at, &t.Event, home).Sub(zone.Instant(t.Start, home))
		t.Length = length
	}
	if length < 0 {
		r.lost(due.p.Line, &t.Event, "the to-do is due before it starts; its start is left out")
		t.Event.Days, t.Event.Length, t.Starts = 0, 0, false
		t.Form, t.Zone, t.ZoneRules = event.Timed, "", ""
		return r.readStart(&t.Event, due.p, due.at)
	}
	return home
}

// likeDue returns a start in the form of the time at which a to-do is due: a day, or the midnight of
// its day.
func (r *reader) likeDue(start, due *foundTime) *foundTime {
	at, local := start.at, r.env.Zone
	if due.at.Date {
		if at.UTC {
			at.Wall = zone.Wall(at.Wall, local)
		}
		return &foundTime{start.p, ical.Time{Wall: zone.Day(at.Wall), Date: true}}
	}
	if at.Date = false; due.at.UTC {
		at.Wall, at.UTC = zone.Instant(at.Wall, local).UTC(), true
	}
	return &foundTime{due.p, at}
}

// readDuration reads the DURATION of a to-do with a start.
func (r *reader) readDuration(t *todo.Todo, c *ical.Component) {
	p := c.Property("DURATION")
	if p == nil {
		return
	}
	d, err := ical.ParseDuration(p.Value)
	if err != nil || d.Days < 0 || d.Time < 0 {
		r.lost(p.Line, &t.Event, "DURATION %q is not a length", legible.Clip(p.Value))
		return
	}
	t.HasDue, t.Days, t.Length = true, d.Days, d.Time
	if t.Form == event.AllDay {
		t.Days, t.Length = d.Days+int(d.Time/(24*time.Hour)), 0
	}
}

// foundTime is a property with its time.
type foundTime struct {
	p  *ical.Property
	at ical.Time
}

// timeOf returns a property that is a time, or nil. An invalid one is a problem.
func (r *reader) timeOf(c *ical.Component, name string) *foundTime {
	p := c.Property(name)
	if p == nil {
		return nil
	}
	at, err := ical.ParseTime(p.Value)
	if err != nil || at.Wall.Year() < 1 {
		r.lost(p.Line, &event.Event{Title: textOf(c, "SUMMARY"), UID: uidOf(c)}, "%s %q is not a time", name,
			legible.Clip(p.Value))
		return nil
	}
	return &foundTime{p, at}
}
