package todo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

// newID derives an id from a seed. It is neither the id of an event nor of a
// to-do.
func (d Tx) newID(seed string) (string, error) {
	for {
		id, err := d.Ev.NewEventID(todoIDSeed(seed))
		if err != nil {
			return "", err
		}
		if _, err := d.Ev.Tx.Get(PlaceKey(id)); errors.Is(err, kv.ErrNotFound) {
			d.Ev.Tx.NoteNew(ledger.RecordID{Kind: ledger.KindTodo, ID: id})
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
func (a Todos) Add(ctx context.Context, draft Todo, loc *time.Location) (o Occurrence, err error) {
	err = a.s.Update(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		todo := draft
		now := a.s.Time()
		todo.CreatedAt, todo.UpdatedAt = now, now
		if todo.Calendar, err = event.TargetName(d.Ev, todo.Calendar); err != nil {
			return err
		}
		if todo.ID, err = d.newID(todo.Calendar + "\x00" + todo.Title + "\x00" +
			now.Format(time.RFC3339Nano)); err != nil {
			return err
		}
		if todo.UID == "" {
			todo.UID = todo.ID
		}
		if err := d.Put(nil, &todo); err != nil {
			return err
		}
		o = d.Current(todo, loc)
		return d.Ev.Save()
	})
	return o, err
}

// Edit changes a to-do and returns it. change gets the to-do with its current
// occurrence, and may change everything but the id, the UID and the calendar. If it changes
// nothing, the to-do and the history stay as they are.
func (a Todos) Edit(ctx context.Context, id string, loc *time.Location, change func(*Occurrence) error) (
	o Occurrence, err error) {
	err = a.s.Update(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		before, err := d.Load(id)
		if err != nil {
			return err
		}
		after := before
		draft := d.Current(before, loc)
		draft.Todo = &after
		if err := change(&draft); err != nil {
			return err
		}
		if o = d.Current(before, loc); bytes.Equal(RecordOf(&before), RecordOf(&after)) {
			return nil
		}
		if !slices.Equal(before.WaitsFor(), after.WaitsFor()) {
			if err := d.checkOrder(&after); err != nil {
				return err
			}
		}
		d.Ev.Touch(&after.Event, a.s.Time())
		if err := d.detachOccurrences(&before, &after); err != nil {
			return err
		}
		if err := d.Put(&before, &after); err != nil {
			return err
		}
		o = d.Current(after, loc)
		return d.Ev.Save()
	})
	return o, err
}

// detachOccurrences makes the to-dos that replace occurrences of a series, which are
// done, to-dos of their own when the series moves: it has no such occurrences any more.
func (d Tx) detachOccurrences(before, after *Todo) error {
	moved := !before.Start.Equal(after.Start) || before.Form != after.Form || before.Zone != after.Zone
	if !moved || !before.Event.Recurs() {
		return nil
	}
	all, err := d.OfUID(before.Calendar, before.UID)
	if err != nil {
		return err
	}
	for _, old := range all {
		if old.RecurrenceID == "" {
			continue
		}
		single := old
		single.UID, single.RecurrenceID = old.ID, ""
		if err := d.Put(&old, &single); err != nil {
			return err
		}
	}
	after.Exceptions = nil
	return nil
}

// Remove removes a to-do, a series with all of its occurrences.
func (a Todos) Remove(ctx context.Context, id string, loc *time.Location) (o Occurrence, err error) {
	err = a.s.Update(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		todo, err := d.Load(id)
		if err != nil {
			return err
		}
		o = d.Current(todo, loc)
		all := []Todo{todo}
		if todo.RecurrenceID == "" {
			if all, err = d.OfUID(todo.Calendar, todo.UID); err != nil {
				return err
			}
		}
		for i := range all {
			if err := d.Put(&all[i], nil); err != nil {
				return err
			}
		}
		return d.Ev.Save()
	})
	return o, err
}

// OfUID returns all to-dos with a UID, the to-do or series first.
func (d Tx) OfUID(calendar, uid string) (all []Todo, err error) {
	ids := []string{}
	key, err := event.KeyOf(d.Ev, calendar)
	if err != nil {
		return nil, err
	}
	for p, err := range kv.Pairs(d.Ev.Tx, kv.Range{Prefix: UIDKey(key, uid, "")}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(p.Value))
	}
	for _, id := range ids {
		todo, err := d.Load(id)
		if err != nil {
			return nil, err
		}
		all = append(all, todo)
	}
	return all, nil
}

// Take imports one to-do.
func (d Tx) Take(todo Todo, now time.Time, n *event.Imported) error {
	if todo.Alone {
		if err := d.locate(&todo); err != nil {
			return err
		}
	}
	old, err := d.ByUID(todo.Calendar, todo.UID, todo.RecurrenceID)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if todo.CreatedAt.IsZero() {
		todo.CreatedAt = now
	}
	dated := !todo.UpdatedAt.IsZero()
	if !dated {
		todo.UpdatedAt = old.UpdatedAt // an undated file is not newer
	}
	if todo.Exceptions, err = d.replaced(&todo); err != nil {
		return err
	}
	known := old.ID != ""
	if known && todo.Older(&old.Event) {
		n.Keep(&old.Event)
		return nil
	}
	if todo.Method == event.MethodCancel {
		return d.cancel(old, &todo, n)
	}
	if known {
		if !todo.Sequenced {
			todo.Sequence = old.Sequence
		}
		if !dated {
			todo.UpdatedAt = now
		}
		same := todo
		same.ID, same.CreatedAt, same.UpdatedAt = old.ID, old.CreatedAt, old.UpdatedAt
		if bytes.Equal(RecordOf(&old), RecordOf(&same)) {
			n.Unchanged++
			return nil
		}
		todo.ID, todo.CreatedAt = old.ID, old.CreatedAt
		n.Changed++
		return d.Put(&old, &todo)
	}
	if n.Added++; !dated {
		todo.UpdatedAt = now
	}
	if todo.ID, err = d.newID(todoSeed(todo.Calendar, todo.UID, todo.RecurrenceID)); err != nil {
		return err
	}
	if err := d.Put(nil, &todo); err != nil || todo.RecurrenceID == "" {
		return err
	}
	return d.replaceOccurrence(&todo)
}

// locate gives a to-do that stands for an occurrence the id that the occurrence has in its series.
func (d Tx) locate(todo *Todo) error {
	series, err := d.ByUID(todo.Calendar, todo.UID, "")
	if err == nil {
		todo.RecurrenceID = series.Named(todo.RecurrenceID, d.Ev.Location(&series.Event, time.UTC))
	}
	return ledger.IgnoreMissing(err)
}

// cancel follows a message that cancels a to-do, a series, or an occurrence of one. old has no ID if it is
// not in the calendar.
func (d Tx) cancel(old Todo, message *Todo, n *event.Imported) error {
	refuse := func(why event.Refusal) error {
		n.Refused = append(n.Refused, event.Refused{UID: message.UID, Title: message.Title, Method: message.Method,
			Line: message.Line, Why: why})
		return nil
	}
	before := []Todo{old}
	switch {
	case old.ID == "" && message.RecurrenceID == "":
		return refuse(event.NoSuchTodo)
	case old.ID == "":
		series, err := d.ByUID(message.Calendar, message.UID, "")
		if errors.Is(err, kv.ErrNotFound) {
			return refuse(event.NoSuchTodo)
		}
		if err != nil {
			return err
		}
		o, err := d.Ev.OccurrenceOf(series.Event, message.RecurrenceID, time.UTC)
		if missing := new(ledger.NotFoundError); errors.As(err, &missing) {
			return refuse(event.NoSuchOccurrence)
		}
		if err != nil {
			return err
		}
		one := series
		one.Start, one.RecurrenceID, one.Recurrence, one.Exceptions = o.Wall, o.Original, nil, nil
		one.Status, one.Sequence, one.CreatedAt, one.UpdatedAt = event.Cancelled, message.Sequence, message.CreatedAt, message.UpdatedAt
		if one.ID, err = d.newID(todoSeed(one.Calendar, one.UID, one.RecurrenceID)); err != nil {
			return err
		}
		if err := d.Put(nil, &one); err != nil {
			return err
		}
		n.Changed++
		return d.replaceOccurrence(&one)
	case old.Status == event.Cancelled:
		n.Unchanged++
		return nil
	case old.Recurs():
		var err error
		if before, err = d.OfUID(old.Calendar, old.UID); err != nil {
			return err
		}
	}
	n.Changed++
	for i := range before {
		after := before[i]
		after.Status, after.Sequence, after.UpdatedAt = event.Cancelled, max(message.Sequence, after.Sequence), message.UpdatedAt
		if after.RecurrenceID == message.RecurrenceID {
			after.Title = cmp.Or(message.Title, after.Title)
		}
		if err := d.Put(&before[i], &after); err != nil {
			return err
		}
	}
	return nil
}

// replaceOccurrence registers a to-do that replaces an occurrence for its series, if
// that exists.
func (d Tx) replaceOccurrence(todo *Todo) error {
	series, err := d.ByUID(todo.Calendar, todo.UID, "")
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil || slices.Contains(series.Exceptions, todo.RecurrenceID) {
		return err
	}
	after := series
	after.Exceptions = append(slices.Clone(series.Exceptions), todo.RecurrenceID)
	slices.Sort(after.Exceptions)
	return d.Put(&series, &after)
}

// replaced returns the ids of the occurrences of a series that other to-dos
// replace.
func (d Tx) replaced(todo *Todo) (originals []string, err error) {
	if todo.RecurrenceID != "" {
		return nil, nil
	}
	calendar, err := event.KeyOf(d.Ev, todo.Calendar)
	if err != nil {
		return nil, err
	}
	return event.Replaced(d.Ev, UIDKey(calendar, todo.UID, ""))
}
