package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"techo/store/kv"
)

// SyncState is the state of a copy of a calendar at a service.
type SyncState struct {
	Token    string    `json:"token,omitempty"`    // of RFC 6578
	Etag     string    `json:"etag,omitempty"`     // of a subscription
	Modified string    `json:"modified,omitempty"` // its Last-Modified
	At       time.Time `json:"at,omitzero"`        // of the last answer
}

// RemoteObject is the resource of a service that has the events with a UID.
type RemoteObject struct{ Href, Etag string }

// MirrorChange is a change at a service.
type MirrorChange struct {
	Events  map[string][]Event // all events of changed resources, by UID
	Todos   map[string][]Todo  // likewise
	Objects map[string]RemoteObject
	Gone    []string // UIDs
	Whole   bool     // what has other UIDs is gone too
	Own     []string // UIDs that the caller wrote at the service: the history records them
	State   SyncState
}

// Mirror is the copy of a calendar at a service. The history records only the changes
// that the caller made there, not changes by other programs.
type Mirror struct {
	s        *Store
	calendar string
}

// NewMirror returns the copy of a calendar in a store.
func NewMirror(s *Store, calendar string) Mirror { return Mirror{s, calendar} }

// Apply applies a change, in several transactions. The last one stores the state,
// so that a change that was cut off is applied again.
func (m Mirror) Apply(ctx context.Context, c MirrorChange) error {
	recorded := ctx
	ctx = withoutHistory(ctx)
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
	for chunk := range slices.Chunk(c.Own, importChunk) {
		chunk = slices.DeleteFunc(slices.Clone(chunk), func(uid string) bool { return !slices.Contains(uids, uid) })
		if err := m.apply(recorded, chunk, c); err != nil {
			return err
		}
	}
	uids = slices.DeleteFunc(uids, own)
	for chunk := range slices.Chunk(uids, importChunk) {
		if err := m.apply(ctx, chunk, c); err != nil {
			return err
		}
	}
	return m.s.update(ctx, func(tx *Tx) error {
		t := m.s.newEventTx(tx)
		found, err := t.calendar(m.calendar)
		if err != nil {
			return err
		}
		found.Sync = c.State
		return t.save()
	})
}

// apply replaces the events of some UIDs in one transaction.
func (m Mirror) apply(ctx context.Context, uids []string, c MirrorChange) error {
	return m.s.update(ctx, func(tx *Tx) error {
		t := m.s.newEventTx(tx)
		calendar, err := t.calendar(m.calendar) // fails if it was renamed meanwhile
		if err != nil {
			return err
		}
		for _, uid := range uids {
			if err := replaceUID(t, m.calendar, uid, c.Events[uid], m.s.time()); err != nil {
				return err
			}
			if err := replaceTodoUID(t, m.calendar, uid, c.Todos[uid], m.s.time()); err != nil {
				return err
			}
			key := append(mirrorObjects.named(calendar.key()), uid...)
			if o, ok := c.Objects[uid]; ok {
				if err := tx.Put(key, []byte(o.Href+"\x00"+o.Etag)); err != nil {
					return err
				}
			} else if err := tx.Delete(key); err != nil {
				return err
			}
		}
		if err := t.addExceptions(); err != nil {
			return err
		}
		return t.save()
	})
}

// replaceUID replaces all events with a UID.
func replaceUID(t *eventTx, calendar, uid string, events []Event, now time.Time) error {
	old, err := eventsOfUID(t, calendar, uid)
	if err != nil {
		return err
	}
	for _, o := range old {
		keep := slices.ContainsFunc(events, func(e Event) bool { // an older version counts too: the service decides
			return e.RecurrenceID == o.RecurrenceID && e.Sequence >= o.Sequence
		})
		if !keep {
			if err := t.put(&o, nil); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return strings.Compare(a.RecurrenceID, b.RecurrenceID) })
	for _, e := range events {
		e.Calendar = calendar
		if err := t.take(e, now, &Imported{}); err != nil {
			return err
		}
	}
	return nil
}

// eventsOfUID returns all events with a UID: the event or series, and the events that
// replace its occurrences.
func eventsOfUID(t *eventTx, calendar, uid string) ([]Event, error) {
	all, err := t.overrides(&Event{Calendar: calendar, UID: uid})
	if err != nil {
		return nil, err
	}
	master, err := t.byUID(calendar, uid, "")
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return all, nil
	case err != nil:
		return nil, err
	}
	return append([]Event{master}, all...), nil
}

// EventsOf returns all events with a UID, the event or series first.
func (m Mirror) EventsOf(ctx context.Context, uid string) (all []Event, err error) {
	err = m.s.view(ctx, func(tx *Tx) error {
		all, err = eventsOfUID(m.s.newEventTx(tx), m.calendar, uid)
		return err
	})
	return all, err
}

// Find returns the event with a UID that replaces an occurrence, or the event or
// series for "".
func (m Mirror) Find(ctx context.Context, uid, recurrenceID string, loc *time.Location) (o Occurrence, err error) {
	err = m.s.view(ctx, func(tx *Tx) error {
		t := m.s.newEventTx(tx)
		e, err := t.byUID(m.calendar, uid, recurrenceID)
		if errors.Is(err, kv.ErrNotFound) {
			return &NotFoundError{Kind: KindEvent, Name: uid}
		}
		if err == nil {
			o = t.first(e, loc)
		}
		return err
	})
	return o, err
}

// Objects returns the resources of the calendar by UID.
func (m Mirror) Objects(ctx context.Context) (all map[string]RemoteObject, err error) {
	all = map[string]RemoteObject{}
	err = m.s.view(ctx, func(tx *Tx) error {
		key, err := keyOf(m.s.newEventTx(tx), m.calendar)
		if err != nil {
			return err
		}
		for item, err := range tx.Scan(kv.Range{Prefix: mirrorObjects.named(key)}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			_, uid, _ := cutNamed(item.Key)
			href, tag, _ := strings.Cut(string(value), "\x00")
			all[string(uid)] = RemoteObject{href, tag}
		}
		return nil
	})
	return all, err
}

// replaceTodoUID replaces all to-dos with a UID.
func replaceTodoUID(t *eventTx, calendar, uid string, todos []Todo, now time.Time) error {
	d := todoTx{t}
	old, err := d.ofUID(calendar, uid)
	if err != nil {
		return err
	}
	for i := range old {
		keep := slices.ContainsFunc(todos, func(n Todo) bool {
			return n.RecurrenceID == old[i].RecurrenceID && n.Sequence >= old[i].Sequence
		})
		if keep {
			continue
		}
		if err := d.put(&old[i], nil); err != nil {
			return err
		}
	}
	slices.SortStableFunc(todos, func(a, b Todo) int { return strings.Compare(a.RecurrenceID, b.RecurrenceID) })
	for _, todo := range todos {
		todo.Calendar = calendar
		if err := d.take(todo, now, &Imported{}); err != nil {
			return err
		}
	}
	return nil
}

// uids returns the UIDs of the calendar.
func (m Mirror) uids(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	err := m.s.EachEvent(ctx, m.calendar, func(e Event) error {
		seen[e.UID] = true
		return nil
	})
	if err == nil {
		err = TodosOf(m.s).Each(ctx, m.calendar, func(t Todo) error {
			seen[t.UID] = true
			return nil
		})
	}
	return slices.Collect(maps.Keys(seen)), err
}

// TodosOf returns all to-dos with a UID, the to-do or series first.
func (m Mirror) TodosOf(ctx context.Context, uid string) (all []Todo, err error) {
	err = m.s.view(ctx, func(tx *Tx) error {
		all, err = newTodoTx(m.s, tx).ofUID(m.calendar, uid)
		return err
	})
	return all, err
}

// deleteSpace deletes all keys with a prefix.
func deleteSpace(tx *Tx, prefix []byte) error {
	var keys [][]byte
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		keys = append(keys, slices.Clone(item.Key))
	}
	return deleteKeys(tx, keys)
}
