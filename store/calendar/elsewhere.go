package calendar

import (
	"bytes"
	"context"

	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
)

// EventChange is a change of an event at a service, which the store does not have.
type EventChange struct {
	Before, After *event.Event // nil if it did not exist
}

// ID returns the id of the event.
func (c *EventChange) ID() string {
	if c.Before != nil {
		return c.Before.ID
	}
	return c.After.ID
}

// RecordElsewhere records changes of events at a service as one change. It leaves out
// events whose content did not change.
func RecordElsewhere(ctx context.Context, l *ledger.Ledger, changes []EventChange) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		c := tx.Changes
		if c == nil {
			return nil
		}
		t := event.NewTx(tx)
		for _, e := range changes {
			before, err := valueElsewhere(t, e.Before)
			if err != nil {
				return err
			}
			later, err := valueElsewhere(t, e.After)
			if err != nil {
				return err
			}
			r := ledger.ChangedRecord{Kind: ledger.KindEvent, ID: e.ID(), Elsewhere: true, Existed: e.Before != nil,
				Exists: e.After != nil, Before: before, Later: later}
			if r.Existed && r.Exists && string(r.Before) == string(r.Later) {
				continue
			}
			if r.Exists {
				r.After = ledger.DigestOf(r.Later)
			}
			c.Outside = append(c.Outside, r)
		}
		return nil
	})
}

// valueElsewhere returns the content of an event in the form of the history, without the
// version and the times that its service assigns.
func valueElsewhere(t *event.Tx, e *event.Event) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	key, err := event.KeyOf(t, e.Calendar)
	content := *e
	content.ClearVersion()
	return append(ledger.AppendText(nil, key), event.RecordOf(&content)...), err
}

func eventElsewhere(t *event.Tx, value []byte) (*event.Event, error) {
	if value == nil {
		return nil, nil
	}
	e, err := ofEventValue(value)
	if err == nil {
		e.Calendar, err = event.NameAt(t, e.Calendar)
	}
	return &e, err
}

// Elsewhere returns the changes of events at a service that a change consists of.
// It fails with a LostChangeError.
func Elsewhere(ctx context.Context, l *ledger.Ledger, c ledger.Change) (all []EventChange, err error) {
	err = l.View(ctx, func(tx *ledger.Tx) error {
		all = nil
		whole, err := tx.LoadWholeChange(c.ID)
		if err != nil {
			return err
		}
		if whole.Lost {
			return &history.LostChangeError{ID: c.ID}
		}
		t := event.NewTx(tx)
		for _, r := range whole.Records {
			var one EventChange
			if one.Before, err = eventElsewhere(t, r.Before); err == nil {
				one.After, err = eventElsewhere(t, r.Later)
			}
			if err != nil {
				return ledger.Finding(ledger.Unreadable, ledger.KindChange, ledger.ChangeID(c.ID), err)
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
func CheckElsewhere(ctx context.Context, l *ledger.Ledger, c ledger.Change,
	now map[string]*event.Event) (restored map[string]bool,
	err error) {
	if err := history.Of(l).CheckUndo(ctx, c, func(string) bool { return false }); err != nil {
		return nil, err
	}
	err = l.View(ctx, func(tx *ledger.Tx) error {
		restored = map[string]bool{}
		whole, err := tx.LoadWholeChange(c.ID)
		if err != nil {
			return err
		}
		t := event.NewTx(tx)
		for _, r := range whole.Records {
			e := now[r.ID]
			value, err := valueElsewhere(t, e)
			if err != nil {
				return err
			}
			if (e != nil) == r.Existed && bytes.Equal(value, r.Before) {
				restored[r.ID] = true
			} else if (e != nil) != r.Exists || e != nil && ledger.DigestOf(value) != r.After {
				return history.NewerChange(tx, c, r)
			}
		}
		return nil
	})
	return restored, err
}
