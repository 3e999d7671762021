package store

import (
	"bytes"
	"context"
	"slices"
)

// EventChange is a change of an event at a service, which the store does not have.
type EventChange struct {
	Before, After *Event // nil if it did not exist
}

// ID returns the id of the event.
func (c *EventChange) ID() string {
	if c.Before != nil {
		return c.Before.ID
	}
	return c.After.ID
}

// Elsewhere reports whether a change was made at a service that the store has no copy of.
func (c *Change) Elsewhere() bool {
	return slices.ContainsFunc(c.Records, func(r ChangedRecord) bool { return r.Elsewhere })
}

// RecordElsewhere records changes of events at a service as one change. It leaves out
// events whose content did not change.
func (h History) RecordElsewhere(ctx context.Context, changes []EventChange) error {
	return h.store.update(ctx, func(tx *Tx) error {
		c := tx.changes
		if c == nil {
			return nil
		}
		t := h.store.newEventTx(tx)
		for _, e := range changes {
			before, err := valueElsewhere(t, e.Before)
			if err != nil {
				return err
			}
			later, err := valueElsewhere(t, e.After)
			if err != nil {
				return err
			}
			r := ChangedRecord{Kind: KindEvent, ID: e.ID(), Elsewhere: true, Existed: e.Before != nil,
				Exists: e.After != nil, before: before, later: later}
			if r.Existed && r.Exists && string(r.before) == string(r.later) {
				continue
			}
			if r.Exists {
				r.after = digestOf(r.Kind, r.later)
			}
			c.outside = append(c.outside, r)
		}
		return nil
	})
}

// valueElsewhere returns the content of an event in the form of the history, without the
// version and the times that its service assigns.
func valueElsewhere(t *eventTx, e *Event) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	key, err := keyOf(t, e.Calendar)
	content := *e
	content.clearVersion()
	return append(appendText(nil, key), recordOfEvent(&content)...), err
}

// eventElsewhere decodes a value of valueElsewhere.
func eventElsewhere(t *eventTx, value []byte) (*Event, error) {
	if value == nil {
		return nil, nil
	}
	e, err := eventOfValue(value)
	if err == nil {
		e.Calendar, err = nameAt(t, e.Calendar)
	}
	return &e, err
}

// EventsElsewhere returns the changes of events at a service that a change consists of.
// It fails with a LostChangeError.
func (h History) EventsElsewhere(ctx context.Context, c Change) (all []EventChange, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		all = nil
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil {
			return err
		}
		if whole.Lost {
			return &LostChangeError{c.ID}
		}
		t := h.store.newEventTx(tx)
		for _, r := range whole.Records {
			var one EventChange
			if one.Before, err = eventElsewhere(t, r.before); err == nil {
				one.After, err = eventElsewhere(t, r.later)
			}
			if err != nil {
				return finding(Unreadable, KindChange, ChangeID(c.ID), err)
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// CheckElsewhere reports why a change of events at a service cannot be undone, like
// Undo. now has the events of the change that exist there, by id. restored has the ids of
// those with their previous content, which an undo that was cut off has restored.
func (h History) CheckElsewhere(ctx context.Context, c Change, now map[string]*Event) (restored map[string]bool,
	err error) {
	if err := h.CheckUndo(ctx, c, func(string) bool { return false }); err != nil {
		return nil, err
	}
	err = h.store.view(ctx, func(tx *Tx) error {
		restored = map[string]bool{}
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil {
			return err
		}
		t := h.store.newEventTx(tx)
		for _, r := range whole.Records {
			e := now[r.ID]
			value, err := valueElsewhere(t, e)
			if err != nil {
				return err
			}
			if (e != nil) == r.Existed && bytes.Equal(value, r.before) {
				restored[r.ID] = true
			} else if (e != nil) != r.Exists || e != nil && digestOf(r.Kind, value) != r.after {
				return newerChange(tx, c, r)
			}
		}
		return nil
	})
	return restored, err
}
