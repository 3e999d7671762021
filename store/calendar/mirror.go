package calendar

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"techo/internal/sorting"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// RemoteObject is the resource of a service that has the events with a UID.
type RemoteObject struct{ Href, Etag string }

// Change is a change at a service.
type Change struct {
	Events  map[string][]event.Event // all events of changed resources, by UID
	Todos   map[string][]todo.Todo   // likewise
	Objects map[string]RemoteObject
	Gone    []string // UIDs
	Whole   bool     // what has other UIDs is gone too
	Own     []string // UIDs that the caller wrote at the service: the history records them
	State   event.SyncState
}

// Mirror is the copy of a calendar at a service. The history records only the changes
// that the caller made there, not changes by other programs.
type Mirror struct {
	s        *ledger.Ledger
	calendar string
}

// NewMirror returns the copy of a calendar in a store.
func NewMirror(s *ledger.Ledger, calendar string) Mirror { return Mirror{s, calendar} }

// Apply applies a change, in several transactions. The last one stores the state,
// so that a change that was cut off is applied again.
func (m Mirror) Apply(ctx context.Context, c Change) error {
	recorded := ctx
	ctx = ledger.WithoutHistory(ctx)
	uids := slices.Concat(c.Gone, slices.Collect(maps.Keys(c.Events)), slices.Collect(maps.Keys(c.Todos)))
	if c.Whole {
		known, err := m.uids(ctx)
		if err != nil {
			return err
		}
		uids = append(uids, known...)
	}
	slices.Sort(uids)
	uids = slices.Compact(uids)
	own := func(uid string) bool { return slices.Contains(c.Own, uid) }
	for chunk := range slices.Chunk(c.Own, event.ImportChunk) {
		chunk = slices.DeleteFunc(slices.Clone(chunk), func(uid string) bool { return !slices.Contains(uids, uid) })
		if err := m.apply(recorded, chunk, c); err != nil {
			return err
		}
	}
	uids = slices.DeleteFunc(uids, own)
	for chunk := range slices.Chunk(uids, event.ImportChunk) {
		if err := m.apply(ctx, chunk, c); err != nil {
			return err
		}
	}
	return m.s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		found, err := t.Calendar(m.calendar)
		if err != nil {
			return err
		}
		found.Sync = c.State
		return t.Save()
	})
}

// apply replaces the events of some UIDs in one transaction.
func (m Mirror) apply(ctx context.Context, uids []string, c Change) error {
	return m.s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		calendar, err := t.Calendar(m.calendar) // fails if it was renamed meanwhile
		if err != nil {
			return err
		}
		for _, uid := range uids {
			if err := replaceUID(t, m.calendar, uid, c.Events[uid], m.s.Time()); err != nil {
				return err
			}
			if err := replaceTodoUID(t, m.calendar, uid, c.Todos[uid], m.s.Time()); err != nil {
				return err
			}
			key := append(event.MirrorObjects.Named(calendar.InKeys()), uid...)
			if o, ok := c.Objects[uid]; ok {
				if err := tx.Put(key, []byte(o.Href+"\x00"+o.Etag)); err != nil {
					return err
				}
			} else if err := tx.Delete(key); err != nil {
				return err
			}
		}
		if err := t.AddExceptions(); err != nil {
			return err
		}
		return t.Save()
	})
}

func replaceUID(t *event.Tx, calendar, uid string, events []event.Event, now time.Time) error {
	old, err := eventsOfUID(t, calendar, uid)
	if err != nil {
		return err
	}
	for _, o := range old {
		keep := slices.ContainsFunc(events,
			func(e event.Event) bool { // an older version counts too: the service decides
				return e.RecurrenceID == o.RecurrenceID && e.Sequence >= o.Sequence
			})
		if !keep {
			if err := t.Put(&o, nil); err != nil {
				return err
			}
		}
	}
	sorting.By(events, func(a, b event.Event) int { return strings.Compare(a.RecurrenceID, b.RecurrenceID) })
	for _, e := range events {
		e.Calendar = calendar
		if err := t.Take(e, now, &event.Imported{}); err != nil {
			return err
		}
	}
	return nil
}

// eventsOfUID returns all events with a UID: the event or series, and the events that
// replace its occurrences.
func eventsOfUID(t *event.Tx, calendar, uid string) ([]event.Event, error) {
	all, err := t.Overrides(&event.Event{Calendar: calendar, UID: uid})
	if err != nil {
		return nil, err
	}
	master, err := t.ByUID(calendar, uid, "")
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return all, nil
	case err != nil:
		return nil, err
	}
	return append([]event.Event{master}, all...), nil
}

// EventsOf returns all events with a UID, the event or series first.
func (m Mirror) EventsOf(ctx context.Context, uid string) (all []event.Event, err error) {
	err = m.s.View(ctx, func(tx *ledger.Tx) error {
		all, err = eventsOfUID(event.NewTx(tx), m.calendar, uid)
		return err
	})
	return all, err
}

// Find returns the event with a UID that replaces an occurrence, or the event or
// series for "".
func (m Mirror) Find(ctx context.Context, uid, recurrenceID string, loc *time.Location) (o event.Occurrence,
	err error) {
	err = m.s.View(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		e, err := t.ByUID(m.calendar, uid, recurrenceID)
		if errors.Is(err, kv.ErrNotFound) {
			return &ledger.NotFoundError{Kind: ledger.KindEvent, Name: uid}
		}
		if err == nil {
			o = t.First(e, loc)
		}
		return err
	})
	return o, err
}

// Objects returns the resources of the calendar by UID.
func (m Mirror) Objects(ctx context.Context) (all map[string]RemoteObject, err error) {
	all = map[string]RemoteObject{}
	err = m.s.View(ctx, func(tx *ledger.Tx) error {
		key, err := event.KeyOf(event.NewTx(tx), m.calendar)
		if err != nil {
			return err
		}
		for item, err := range tx.Scan(kv.Range{Prefix: event.MirrorObjects.Named(key)}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			_, uid, _ := ledger.CutNamed(item.Key)
			href, tag, _ := strings.Cut(string(value), "\x00")
			all[string(uid)] = RemoteObject{href, tag}
		}
		return nil
	})
	return all, err
}

// replaceTodoUID replaces all to-dos with a UID.
func replaceTodoUID(t *event.Tx, calendar, uid string, todos []todo.Todo, now time.Time) error {
	d := todo.Tx{Ev: t}
	old, err := d.OfUID(calendar, uid)
	if err != nil {
		return err
	}
	for i := range old {
		keep := slices.ContainsFunc(todos, func(n todo.Todo) bool {
			return n.RecurrenceID == old[i].RecurrenceID && n.Sequence >= old[i].Sequence
		})
		if keep {
			continue
		}
		if err := d.Put(&old[i], nil); err != nil {
			return err
		}
	}
	sorting.By(todos, func(a, b todo.Todo) int { return strings.Compare(a.RecurrenceID, b.RecurrenceID) })
	for _, todo := range todos {
		todo.Calendar = calendar
		if err := d.Take(todo, now, &event.Imported{}); err != nil {
			return err
		}
	}
	return nil
}

func (m Mirror) uids(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	err := (event.Events{Ledger: m.s}).EachEvent(ctx, m.calendar, func(e event.Event) error {
		seen[e.UID] = true
		return nil
	})
	if err == nil {
		err = todo.Of(m.s).Each(ctx, m.calendar, func(t todo.Todo) error {
			seen[t.UID] = true
			return nil
		})
	}
	return slices.Collect(maps.Keys(seen)), err
}

// TodosOf returns all to-dos with a UID, the to-do or series first.
func (m Mirror) TodosOf(ctx context.Context, uid string) (all []todo.Todo, err error) {
	err = m.s.View(ctx, func(tx *ledger.Tx) error {
		all, err = todo.NewTx(tx).OfUID(m.calendar, uid)
		return err
	})
	return all, err
}
