package calendar

import (
	"context"

	"techo/store/event"
	"techo/store/ledger"
)

// # Names of calendars in the history
//
// A renaming is a change of its own. Its record has the name of the calendar before it, and
// the digest of the new name. The events of the calendar are no part of it: they change
// independently, whatever the calendar is called.

// IDNamed returns the id that the changes of the calendar with a name have, also of
// one that has no changes. It returns "" if there is no such calendar.
func IDNamed(ctx context.Context, l *ledger.Ledger, name string) (id string, err error) {
	err = l.View(ctx, func(tx *ledger.Tx) error {
		c, err := event.Stored(&event.Tx{Tx: tx}, name)
		if err == nil {
			id = event.CalendarID(c.InKeys())
		}
		return ledger.IgnoreMissing(err)
	})
	return id, err
}

// restoreName gives a calendar its previous name. It fails with a TakenError or a
// RemovingError if another calendar has that.
func restoreName(tx *ledger.Tx, c ledger.Change) error {
	t := event.NewTx(tx)
	for _, record := range c.Records {
		now, err := event.CalendarOfID(tx, record.ID)
		if err != nil {
			return err
		}
		name := string(record.Before)
		if err := event.NameFree(t, name); err != nil {
			return err
		}
		if err := event.Rename(t, &now, name); err != nil {
			return err
		}
	}
	return t.Save()
}
