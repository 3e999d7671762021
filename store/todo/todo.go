// Package todo has to-dos, which are built on the fields of events.
package todo

import (
	"context"
	"errors"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

// The statuses of a to-do, next to Cancelled.
const (
	NeedsAction = "needs-action"
	InProcess   = "in-process"
	Completed   = "completed"
)

// Todo is a to-do, or a series of to-dos: a VTODO of RFC 5545. It shares the fields of
// events. Start is the start or, without one, the time at which it is due; Days and
// Length are the time from the start until it is due.
type Todo struct {
	event.Event
	Starts      bool // it has a start
	HasDue      bool // it has a time at which it is due
	Priority    int  // 1 is the highest, 9 the lowest, 0 means none
	Percent     int  // done so far
	CompletedAt time.Time
}

// Open reports whether the to-do is neither completed nor cancelled.
func (t *Todo) Open() bool { return t.Status != Completed && t.Status != event.Cancelled }

// Recurs reports whether the to-do is a series.
func (t *Todo) Recurs() bool { return t.Event.Recurs() && (t.Starts || t.HasDue) }

// Occurrence is a to-do; of a series it is the first occurrence that is not done.
type Occurrence struct {
	*Todo
	Wall     time.Time // Start, or the start of the occurrence
	Original string    // OccurrenceID of the occurrence, "" for a single to-do
	From, To time.Time // the start, and when it is due; the first day after an all-day one

	// List sets the ids of open to-dos: those that must be done before an open one, and those that wait for it.
	Waits, Blocks []string
}

// Overdue reports whether an open to-do was due before a time.
func (o *Occurrence) Overdue(now time.Time) bool { return o.Open() && o.HasDue && o.To.Before(now) }

// SetDue sets the time from the start until the to-do is due, which is the start of an
// event of the same form. home is the zone of both.
func (t *Todo) SetDue(due *event.Event, home *time.Location) {
	t.HasDue, t.Days, t.Length = true, 0, 0
	if t.Form == event.AllDay {
		t.Days = int(due.Start.Sub(t.Start) / (24 * time.Hour))
		return
	}
	t.Length = due.Instant(due.Start, home).Sub(t.Instant(t.Start, home))
}

// DueWall returns the local time at which it is due, or the day.
func (o *Occurrence) DueWall() time.Time { return o.Wall.AddDate(0, 0, o.Days).Add(o.Length) }

// Todos are the to-dos of a store.
type Todos struct{ s *ledger.Ledger }

// Of returns the to-dos of a store.
func Of(s *ledger.Ledger) Todos { return Todos{s} }

// Tx reads and writes to-dos in a transaction.
type Tx struct{ Ev *event.Tx }

// NewTx returns a transaction of to-dos within one of the store.
func NewTx(tx *ledger.Tx) Tx { return Tx{event.NewTx(tx)} }

// Get returns the to-do with an id. loc is the zone for times without one.
func (a Todos) Get(ctx context.Context, id string, loc *time.Location) (o Occurrence, err error) {
	err = a.s.View(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		todo, err := d.Load(id)
		if err == nil {
			o = d.Current(todo, loc)
		}
		return err
	})
	return o, err
}

// Each yields the to-dos of a calendar as they are stored.
func (a Todos) Each(ctx context.Context, calendar string, fn func(Todo) error) error {
	return a.s.Stream(ctx, func(tx *ledger.Tx) error { return NewTx(tx).Each(calendar, fn) })
}

// Each calls fn for all to-dos of a calendar.
func (d Tx) Each(calendar string, fn func(Todo) error) error {
	key, err := event.KeyOf(d.Ev, calendar)
	if err != nil {
		return err
	}
	for todo, err := range table.Scan(d.Ev.Tx, kv.Range{Prefix: Records.Named(key)}) {
		if err != nil {
			return err
		}
		todo.Calendar = calendar
		if err := fn(todo); err != nil {
			return err
		}
	}
	return nil
}

// Load returns the to-do with an id, or fails with a NotFoundError.
func (d Tx) Load(id string) (todo Todo, err error) {
	missing := &ledger.NotFoundError{Kind: ledger.KindTodo, Name: id}
	if id == "" || len(id) > kv.MaxKey/2 {
		return todo, missing
	}
	place, err := d.Ev.Tx.Get(PlaceKey(id))
	if errors.Is(err, kv.ErrNotFound) {
		if err := d.current(); err != nil {
			return todo, err
		}
		return todo, missing
	}
	if err != nil {
		return todo, err
	}
	c, err := event.CalendarAt(d.Ev, string(place))
	if errors.Is(err, kv.ErrNotFound) {
		return todo, missing
	}
	if err != nil {
		return todo, err
	}
	todo, err = table.Load(d.Ev.Tx, Key(c.InKeys(), id))
	if errors.Is(err, kv.ErrNotFound) {
		return todo, ledger.Finding(ledger.NoRecord, ledger.KindTodo, id, nil)
	}
	todo.Calendar = c.Name
	return todo, err
}

// ByUID returns the to-do with a UID that replaces an occurrence, or the to-do or
// series for "". It fails with kv.ErrNotFound.
func (d Tx) ByUID(calendar, uid, recurrenceID string) (todo Todo, err error) {
	key, err := event.KeyOf(d.Ev, calendar)
	if err != nil {
		return todo, err
	}
	id, err := d.Ev.Tx.Get(UIDKey(key, uid, recurrenceID))
	if err != nil {
		return todo, err
	}
	return d.Load(string(id))
}

// Current returns the to-do or, of a series, its first occurrence that is not done.
func (d Tx) Current(todo Todo, loc *time.Location) Occurrence {
	o := Occurrence{Todo: &todo, Wall: todo.Start, Original: todo.RecurrenceID}
	home := d.Ev.Location(&todo.Event, loc)
	if todo.Recurs() && todo.Open() {
		if wall, ok := d.nextWall(&todo, home); ok {
			o.Wall, o.Original = wall, todo.OccurrenceID(wall, home)
		}
	}
	at := occurrenceAt(&todo, o.Wall, home)
	o.From, o.To = at.From, at.To
	return o
}

// occurrenceAt returns the occurrence with a local start, without its id.
func occurrenceAt(todo *Todo, wall time.Time, home *time.Location) Occurrence {
	o := Occurrence{Todo: todo, Wall: wall}
	o.From, o.To = todo.Span(wall, home)
	if todo.Form == event.AllDay {
		o.To = zone.Instant(o.DueWall().AddDate(0, 0, 1), home)
	}
	return o
}

// Later reports whether an open to-do starts after a time. A start when it is due, which each
// series has, tells nothing.
func (o *Occurrence) Later(now time.Time) bool {
	return o.Open() && o.startsBefore() && o.From.After(now)
}

// startsBefore reports whether the to-do starts before it is due.
func (t *Todo) startsBefore() bool { return t.Starts && (!t.HasDue || t.Days > 0 || t.Length > 0) }

// nextWall returns the start of the first occurrence of a series that is not done. ok
// is false if all are, or the rule cannot be read.
func (d Tx) nextWall(todo *Todo, home *time.Location) (wall time.Time, ok bool) {
	x := d.Ev.Expander(&todo.Event, home)
	if x.Err != nil {
		return wall, false
	}
	return x.First(todo.Start.Add(-event.Slack), func(time.Time) bool { return true })
}

// ReadKnown reads together what an import of to-dos into a calendar looks up.
func (d Tx) ReadKnown(calendar string, all []Todo) error {
	key, err := event.KeyOf(d.Ev, calendar)
	if err != nil {
		return err
	}
	var events []*event.Event
	for i := range all {
		events = append(events, &all[i].Event)
	}
	return event.KnownRecords{
		Calendar: key, Events: events, UIDs: UIDs, Place: PlaceKey,
		Record: func(id string) ([]byte, error) {
			place, err := d.Ev.Tx.Get(PlaceKey(id))
			return Key(string(place), id), err
		},
		Free: func(e *event.Event) [][]byte {
			id := event.ShortEventID(todoIDSeed(todoSeed(calendar, e.UID, e.RecurrenceID)))
			return [][]byte{event.Key(id), PlaceKey(id)}
		},
	}.Read(d.Ev)
}
