package store

import (
	"context"
	"errors"
	"time"

	"techo/internal/zone"
	"techo/store/kv"
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
	Event
	Starts      bool // it has a start
	HasDue      bool // it has a time at which it is due
	Priority    int  // 1 is the highest, 9 the lowest, 0 means none
	Percent     int  // done so far
	CompletedAt time.Time
}

// Open reports whether the to-do is neither completed nor cancelled.
func (t *Todo) Open() bool { return t.Status != Completed && t.Status != Cancelled }

// Recurs reports whether the to-do is a series.
func (t *Todo) Recurs() bool { return t.Event.Recurs() && (t.Starts || t.HasDue) }

// TodoOccurrence is a to-do; of a series it is the first occurrence that is not done.
type TodoOccurrence struct {
	*Todo
	Wall     time.Time // Start, or the start of the occurrence
	Original string    // OccurrenceID of the occurrence, "" for a single to-do
	From, To time.Time // the start, and when it is due; the first day after an all-day one
}

// Overdue reports whether an open to-do was due before a time.
func (o *TodoOccurrence) Overdue(now time.Time) bool { return o.Open() && o.HasDue && o.To.Before(now) }

// SetDue sets the time from the start until the to-do is due, which is the start of an
// event of the same form. home is the zone of both.
func (t *Todo) SetDue(due *Event, home *time.Location) {
	t.HasDue, t.Days, t.Length = true, 0, 0
	if t.Form == AllDay {
		t.Days = int(due.Start.Sub(t.Start) / (24 * time.Hour))
		return
	}
	t.Length = due.instant(due.Start, home).Sub(t.instant(t.Start, home))
}

// DueWall returns the local time at which it is due, or the day.
func (o *TodoOccurrence) DueWall() time.Time { return o.Wall.AddDate(0, 0, o.Days).Add(o.Length) }

// Todos are the to-dos of a store.
type Todos struct{ s *Store }

// TodosOf returns the to-dos of a store.
func TodosOf(s *Store) Todos { return Todos{s} }

// todoTx reads and writes to-dos in a transaction.
type todoTx struct{ ev *eventTx }

func newTodoTx(s *Store, tx *Tx) todoTx { return todoTx{s.newEventTx(tx)} }

// Get returns the to-do with an id. loc is the zone for times without one.
func (a Todos) Get(ctx context.Context, id string, loc *time.Location) (o TodoOccurrence, err error) {
	err = a.s.view(ctx, func(tx *Tx) error {
		d := newTodoTx(a.s, tx)
		todo, err := d.load(id)
		if err == nil {
			o = d.current(todo, loc)
		}
		return err
	})
	return o, err
}

// In returns all to-dos of a calendar, in no particular order. The occurrences
// that differ from their series are to-dos of their own.
func (a Todos) In(ctx context.Context, calendar string, loc *time.Location) (all []TodoOccurrence, err error) {
	err = a.s.view(ctx, func(tx *Tx) error {
		all = nil
		d := newTodoTx(a.s, tx)
		if _, err := d.ev.calendar(calendar); err != nil {
			return err
		}
		return d.each(calendar, func(todo Todo) error {
			all = append(all, d.current(todo, loc))
			return nil
		})
	})
	return all, err
}

// Each yields the to-dos of a calendar as they are stored.
func (a Todos) Each(ctx context.Context, calendar string, fn func(Todo) error) error {
	return stream(ctx, a.s, func(tx *Tx) error { return newTodoTx(a.s, tx).each(calendar, fn) })
}

// Count returns the number of to-dos of a calendar; a series counts once.
func (a Todos) Count(ctx context.Context, calendar string) (n int, err error) {
	err = a.Each(ctx, calendar, func(t Todo) error {
		if t.RecurrenceID == "" {
			n++
		}
		return nil
	})
	return n, err
}

func (d todoTx) each(calendar string, fn func(Todo) error) error {
	key, err := keyOf(d.ev, calendar)
	if err != nil {
		return err
	}
	for p, err := range kv.Pairs(d.ev.tx, kv.Range{Prefix: todoRecords.named(key)}) {
		if err != nil {
			return err
		}
		todo, err := decodeTodo(p.Key, p.Value)
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

// load returns the to-do with an id, or fails with a NotFoundError.
func (d todoTx) load(id string) (todo Todo, err error) {
	missing := &NotFoundError{Kind: KindTodo, Name: id}
	if id == "" || len(id) > kv.MaxKey/2 {
		return todo, missing
	}
	place, err := d.ev.tx.Get(todoPlaceKey(id))
	if errors.Is(err, kv.ErrNotFound) {
		return todo, missing
	}
	if err != nil {
		return todo, err
	}
	c, err := calendarAt(d.ev, string(place))
	if errors.Is(err, kv.ErrNotFound) {
		return todo, missing
	}
	if err != nil {
		return todo, err
	}
	key := todoKey(c.key(), id)
	b, err := d.ev.tx.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return todo, finding(NoRecord, KindTodo, id, nil)
	}
	if err != nil {
		return todo, err
	}
	todo, err = decodeTodo(key, b)
	todo.Calendar = c.Name
	return todo, err
}

// byUID returns the to-do with a UID that replaces an occurrence, or the to-do or
// series for "". It fails with kv.ErrNotFound.
func (d todoTx) byUID(calendar, uid, recurrenceID string) (todo Todo, err error) {
	key, err := keyOf(d.ev, calendar)
	if err != nil {
		return todo, err
	}
	id, err := d.ev.tx.Get(todoUIDKey(key, uid, recurrenceID))
	if err != nil {
		return todo, err
	}
	return d.load(string(id))
}

// current returns the to-do or, of a series, its first occurrence that is not done.
func (d todoTx) current(todo Todo, loc *time.Location) TodoOccurrence {
	o := TodoOccurrence{Todo: &todo, Wall: todo.Start, Original: todo.RecurrenceID}
	home := d.ev.location(&todo.Event, loc)
	if todo.Recurs() && todo.Open() {
		if wall, ok := d.nextWall(&todo, home); ok {
			o.Wall, o.Original = wall, todo.OccurrenceID(wall, home)
		}
	}
	o.From, o.To = todo.Span(o.Wall, home)
	if todo.Form == AllDay {
		o.To = zone.Instant(o.DueWall().AddDate(0, 0, 1), home)
	}
	return o
}

// nextWall returns the start of the first occurrence of a series that is not done. ok
// is false if all are, or the rule cannot be read.
func (d todoTx) nextWall(todo *Todo, home *time.Location) (wall time.Time, ok bool) {
	x := d.ev.expander(&todo.Event, home)
	if x.err != nil {
		return todo.Start, false
	}
	from := todo.Start.Add(-slack)
	for _, days := range []int{31, 400, 4000, 40_000} {
		x.walk(from, from.AddDate(0, 0, days), func(w time.Time) bool {
			wall, ok = w, true
			return false
		})
		if ok {
			return wall, true
		}
	}
	return todo.Start, false
}
