package store

import (
	"context"
	"strings"

	"techo/store/kv"
)

// # Names of calendars in the history
//
// A renaming is a change of its own. Its record has the name of the calendar before it, and
// the digest of the new name. The events of the calendar are no part of it: they change
// independently, whatever the calendar is called.

// calendarID returns the id of a calendar in the history: its key, in which a number follows
// the first name if that was in use. Such an id ends with a space, which no name does.
func calendarID(key string) string {
	if name, number, numbered := strings.Cut(key, "\x00"); numbered {
		return name + " " + number + " "
	}
	return key
}

// calendarOfID loads the calendar with an id of calendarID. It fails with kv.ErrNotFound,
// also for one that was removed.
func calendarOfID(tx *Tx, id string) (c Calendar, err error) {
	if numbered, ok := strings.CutSuffix(id, " "); ok {
		if i := strings.LastIndexByte(numbered, ' '); i >= 0 {
			id = numbered[:i] + "\x00" + numbered[i+1:]
		}
	}
	if err = load(tx, calendarKey(id), &c); err == nil && (c.Removing || c.Gone) {
		err = kv.ErrNotFound
	}
	return c, err
}

// CalendarNamed returns the id that the changes of the calendar with a name have, also of
// one that has no changes. It returns "" if there is no such calendar.
func (h History) CalendarNamed(ctx context.Context, name string) (id string, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		c, err := stored(&eventTx{tx: tx}, name)
		if err == nil {
			id = calendarID(c.key())
		}
		return ignoreMissing(err)
	})
	return id, err
}

// noteCalendar notes that a transaction has read the name of a calendar.
func noteCalendar(tx *Tx, c *Calendar) {
	if recorder := tx.changes; recorder != nil {
		recorder.named = append(recorder.named, recordID{KindCalendar, calendarID(c.key())})
	}
}

// recordName records that a calendar gets a name.
func recordName(t *eventTx, c *Calendar, to string) {
	recorder := t.tx.changes
	if recorder == nil {
		return
	}
	recorder.outside = append(recorder.outside, ChangedRecord{Kind: KindCalendar, ID: calendarID(c.key()),
		Existed: true, Exists: true, before: []byte(c.Name), after: digestOf(KindCalendar, []byte(to))})
}

// restoreName gives a calendar its previous name. It fails with a TakenError or a
// RemovingError if another calendar has that.
func (r *restoring) restoreName(c Change) error {
	t := r.s.newEventTx(r.tx)
	for _, record := range c.Records {
		now, err := calendarOfID(r.tx, record.ID)
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
