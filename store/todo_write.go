package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/store/kv"
)

// put replaces before by after in the records and the indexes. Either may be nil.
// The caller saves the calendars.
func (d todoTx) put(before, after *Todo) error {
	if before != nil {
		old, err := d.ev.ensure(before.Calendar)
		if err != nil {
			return err
		}
		keys := [][]byte{todoUIDKey(old.key(), before.UID, before.RecurrenceID)}
		if after == nil || after.ID != before.ID || after.Calendar != before.Calendar {
			keys = append(keys, todoKey(old.key(), before.ID), todoPlaceKey(before.ID))
		}
		if err := deleteKeys(d.ev.tx, keys); err != nil {
			return err
		}
	}
	if after == nil {
		return nil
	}
	c, err := d.ev.ensure(after.Calendar)
	if err != nil {
		return err
	}
	b := recordOfTodo(after)
	after.Etag = etag(b)
	if err := d.ev.tx.Put(todoKey(c.key(), after.ID), b); err != nil {
		return err
	}
	if err := d.ev.tx.Put(todoPlaceKey(after.ID), []byte(c.key())); err != nil {
		return err
	}
	return d.ev.tx.Put(todoUIDKey(c.key(), after.UID, after.RecurrenceID), []byte(after.ID))
}

// newID derives an id from a seed. It is neither the id of an event nor of a
// to-do.
func (d todoTx) newID(seed string) (string, error) {
	for {
		id, err := d.ev.newEventID(todoIDSeed(seed))
		if err != nil {
			return "", err
		}
		if _, err := d.ev.tx.Get(todoPlaceKey(id)); errors.Is(err, kv.ErrNotFound) {
			d.ev.tx.noteNew(recordID{KindTodo, id})
			return id, nil
		} else if err != nil {
			return "", err
		}
		seed += "\x00"
	}
}

// todoIDSeed returns the seed of newEventID for a to-do.
func todoIDSeed(seed string) string { return "todo\x00" + seed }

// todoSeed returns what the id of an imported to-do derives from.
func todoSeed(calendar, uid, recurrenceID string) string {
	return calendar + "\x00" + uid + "\x00" + recurrenceID
}

// Add adds a to-do and returns it with its id.
func (a Todos) Add(ctx context.Context, draft Todo, loc *time.Location) (o TodoOccurrence, err error) {
	err = a.s.update(ctx, func(tx *Tx) error {
		d := newTodoTx(a.s, tx)
		todo := draft
		now := a.s.time()
		todo.CreatedAt, todo.UpdatedAt = now, now
		if todo.Calendar, err = targetName(d.ev, todo.Calendar); err != nil {
			return err
		}
		if todo.ID, err = d.newID(todo.Calendar + "\x00" + todo.Title + "\x00" +
			now.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		if todo.UID == "" {
			todo.UID = todo.ID
		}
		if err := d.put(nil, &todo); err != nil {
			return err
		}
		o = d.current(todo, loc)
		return d.ev.save()
	})
	return o, err
}

// Edit changes a to-do and returns it. change gets the to-do with its current
// occurrence, and may change everything but the id, the UID and the calendar. If it changes
// nothing, the to-do and the history stay as they are.
func (a Todos) Edit(ctx context.Context, id string, loc *time.Location, change func(*TodoOccurrence) error) (
	o TodoOccurrence, err error) {
	err = a.s.update(ctx, func(tx *Tx) error {
		d := newTodoTx(a.s, tx)
		before, err := d.load(id)
		if err != nil {
			return err
		}
		after := before
		draft := d.current(before, loc)
		draft.Todo = &after
		if err := change(&draft); err != nil {
			return err
		}
		if o = d.current(before, loc); bytes.Equal(recordOfTodo(&before), recordOfTodo(&after)) {
			return nil
		}
		d.ev.touch(&after.Event, a.s.time())
		if err := d.detachOccurrences(&before, &after); err != nil {
			return err
		}
		if err := d.put(&before, &after); err != nil {
			return err
		}
		o = d.current(after, loc)
		return d.ev.save()
	})
	return o, err
}

// detachOccurrences makes the to-dos that replace occurrences of a series, which are
// done, to-dos of their own when the series moves: it has no such occurrences any more.
func (d todoTx) detachOccurrences(before, after *Todo) error {
	moved := !before.Start.Equal(after.Start) || before.Form != after.Form || before.Zone != after.Zone
	if !moved || !before.Event.Recurs() {
		return nil
	}
	all, err := d.ofUID(before.Calendar, before.UID)
	if err != nil {
		return err
	}
	for _, old := range all {
		if old.RecurrenceID == "" {
			continue
		}
		single := old
		single.UID, single.RecurrenceID = old.ID, ""
		if err := d.put(&old, &single); err != nil {
			return err
		}
	}
	after.Exceptions = nil
	return nil
}

// Complete marks a to-do as completed. Of a series it completes the first occurrence
// that is not done, and returns the series with its next one, or the completed series
// if there is none. A to-do that is completed stays as it is.
func (a Todos) Complete(ctx context.Context, id string, at time.Time, loc *time.Location) (
	done, next TodoOccurrence, err error) {
	err = a.s.update(ctx, func(tx *Tx) error {
		d := newTodoTx(a.s, tx)
		before, err := d.load(id)
		if err != nil {
			return err
		}
		done, next = d.current(before, loc), TodoOccurrence{}
		switch {
		case before.Status == Completed:
			return nil
		case done.Original != "" && before.Recurs():
			err = d.completeOccurrence(&done, &next, at, a.s.time(), loc)
		default:
			after := before
			after.complete(at)
			d.ev.touch(&after.Event, a.s.time())
			done = d.current(after, loc)
			err = d.put(&before, &after)
		}
		if err != nil {
			return err
		}
		return d.ev.save()
	})
	return done, next, err
}

func (t *Todo) complete(at time.Time) {
	t.Status, t.CompletedAt, t.Percent = Completed, at, 100
}

// completeOccurrence adds a completed to-do that replaces the current occurrence of a
// series. With its last occurrence the series is completed too.
func (d todoTx) completeOccurrence(done, next *TodoOccurrence, at, now time.Time, loc *time.Location) error {
	series := done.Todo
	one := *series
	one.ID, one.RecurrenceID = series.ID+"_"+done.Original, done.Original
	one.Start, one.Recurrence, one.Exceptions = done.Wall, nil, nil
	one.complete(at)
	one.CreatedAt = now
	d.ev.touch(&one.Event, now)
	if err := d.put(nil, &one); err != nil {
		return err
	}
	after := *series
	after.Exceptions = append(slices.Clone(series.Exceptions), done.Original)
	slices.Sort(after.Exceptions)
	if _, more := d.nextWall(&after, d.ev.location(&after.Event, loc)); !more {
		after.complete(at)
	}
	d.ev.touch(&after.Event, now)
	if err := d.put(series, &after); err != nil {
		return err
	}
	*done, *next = d.current(one, loc), d.current(after, loc)
	return nil
}

// Remove removes a to-do, a series with all of its occurrences.
func (a Todos) Remove(ctx context.Context, id string, loc *time.Location) (o TodoOccurrence, err error) {
	err = a.s.update(ctx, func(tx *Tx) error {
		d := newTodoTx(a.s, tx)
		todo, err := d.load(id)
		if err != nil {
			return err
		}
		o = d.current(todo, loc)
		all := []Todo{todo}
		if todo.RecurrenceID == "" {
			if all, err = d.ofUID(todo.Calendar, todo.UID); err != nil {
				return err
			}
		}
		for i := range all {
			if err := d.put(&all[i], nil); err != nil {
				return err
			}
		}
		return d.ev.save()
	})
	return o, err
}

// ofUID returns all to-dos with a UID, the to-do or series first.
func (d todoTx) ofUID(calendar, uid string) (all []Todo, err error) {
	ids := []string{}
	key, err := keyOf(d.ev, calendar)
	if err != nil {
		return nil, err
	}
	for p, err := range kv.Pairs(d.ev.tx, kv.Range{Prefix: todoUIDKey(key, uid, "")}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(p.Value))
	}
	for _, id := range ids {
		todo, err := d.load(id)
		if err != nil {
			return nil, err
		}
		all = append(all, todo)
	}
	return all, nil
}

// Import adds to-dos from elsewhere to a calendar. See Import.
func (a Todos) Import(ctx context.Context, calendar string, all []Todo) (Imported, error) {
	return NewImport(a.s, Calendar{Name: calendar}, false).Todos(ctx, all)
}

// Todos adds to-dos from elsewhere and replaces those with the same UID and recurrence
// id. An older version (SEQUENCE) is left out.
func (m *Import) Todos(ctx context.Context, all []Todo) (total Imported, err error) {
	for chunk := range slices.Chunk(all, importChunk) {
		n := Imported{}
		err := m.update(ctx, func(t *eventTx, calendar string) error {
			n = Imported{}
			d := todoTx{t}
			if err := d.readKnown(calendar, chunk); err != nil {
				return err
			}
			for _, todo := range chunk {
				todo.Calendar = calendar
				if err := d.take(todo, m.s.time(), &n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return total, err
		}
		total.Add(n)
	}
	return total, nil
}

// take imports one to-do.
func (d todoTx) take(todo Todo, now time.Time, n *Imported) error {
	old, err := d.byUID(todo.Calendar, todo.UID, todo.RecurrenceID)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if todo.CreatedAt.IsZero() {
		todo.CreatedAt = now
	}
	if todo.UpdatedAt.IsZero() {
		todo.UpdatedAt = now
	}
	if todo.Exceptions, err = d.replaced(&todo); err != nil {
		return err
	}
	if known := old.ID != ""; known {
		if !todo.Sequenced {
			todo.Sequence = old.Sequence
		}
		if todo.Sequence < old.Sequence {
			n.Older++
			return nil
		}
		same := todo
		same.ID, same.CreatedAt, same.UpdatedAt = old.ID, old.CreatedAt, old.UpdatedAt
		if bytes.Equal(recordOfTodo(&old), recordOfTodo(&same)) {
			n.Unchanged++
			return nil
		}
		todo.ID, todo.CreatedAt = old.ID, old.CreatedAt
		n.Changed++
		return d.put(&old, &todo)
	}
	n.Added++
	if todo.ID, err = d.newID(todoSeed(todo.Calendar, todo.UID, todo.RecurrenceID)); err != nil {
		return err
	}
	if err := d.put(nil, &todo); err != nil || todo.RecurrenceID == "" {
		return err
	}
	return d.replaceOccurrence(&todo)
}

// replaceOccurrence registers a to-do that replaces an occurrence for its series, if
// that exists.
func (d todoTx) replaceOccurrence(todo *Todo) error {
	series, err := d.byUID(todo.Calendar, todo.UID, "")
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil || slices.Contains(series.Exceptions, todo.RecurrenceID) {
		return err
	}
	after := series
	after.Exceptions = append(slices.Clone(series.Exceptions), todo.RecurrenceID)
	slices.Sort(after.Exceptions)
	return d.put(&series, &after)
}

// replaced returns the ids of the occurrences of a series that other to-dos
// replace.
func (d todoTx) replaced(todo *Todo) (originals []string, err error) {
	if todo.RecurrenceID != "" {
		return nil, nil
	}
	calendar, err := keyOf(d.ev, todo.Calendar)
	if err != nil {
		return nil, err
	}
	prefix := todoUIDKey(calendar, todo.UID, "")
	for item, err := range d.ev.tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		if original := strings.TrimPrefix(string(item.Key), string(prefix)); original != "" {
			originals = append(originals, original)
		}
	}
	return originals, nil
}
