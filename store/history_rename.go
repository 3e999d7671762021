package store

import (
	"context"
)

// # Names of calendars in the history
//
// A renaming is a change of its own. Its record has the name of the calendar before it, and
// the digest of the new name. The events of the calendar are no part of it: they change
// independently, whatever the calendar is called.

// CalendarNamed returns the id that the changes of the calendar with a name have, also of
// one that has no changes. It returns "" if there is no such calendar.
func CalendarNamed(ctx context.Context, l *Ledger, name string) (id string, err error) {
	err = l.view(ctx, func(tx *Tx) error {
		c, err := stored(&eventTx{tx: tx}, name)
		if err == nil {
			id = calendarID(c.key())
		}
		return ignoreMissing(err)
	})
	return id, err
}

// restoreName gives a calendar its previous name. It fails with a TakenError or a
// RemovingError if another calendar has that.
func restoreName(tx *Tx, c Change) error {
	t := newEventTx(tx)
	for _, record := range c.Records {
		now, err := calendarOfID(tx, record.ID)
		if err != nil {
			return err
		}
		name := string(record.before)
		if err := nameFree(t, name); err != nil {
			return err
		}
		if err := rename(t, &now, name); err != nil {
			return err
		}
	}
	return t.save()
}
