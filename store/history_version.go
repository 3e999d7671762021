package store

import (
	"bytes"
	"time"
)

// laterVersions compares events and to-dos with what a change made of them. At a CalDAV
// server an undo makes a new version of them, so that other programs accept the previous
// content: with a higher sequence number, and with times of whole seconds.
type laterVersions struct {
	tx    *Tx
	c     Change
	newer *newerChanges // nil until it is needed
}

// equal reports whether the value of a record is another version of the one after the
// change.
func (l *laterVersions) equal(r ChangedRecord, value []byte, found bool) (bool, error) {
	if !found || !r.Exists || r.Kind != KindEvent && r.Kind != KindTodo {
		return false, nil
	}
	c, err := calendarAt(&eventTx{tx: l.tx, calendars: map[string]*Calendar{}}, (&fieldReader{b: value}).text())
	if err != nil || c.Kind != CalDAVCalendar {
		return false, ignoreMissing(err)
	}
	if l.newer == nil {
		l.newer = newNewerChanges(l.tx)
		err := scanChanges(l.tx, l.c.ID, func(c Change) error {
			l.newer.pass(c)
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	after, known, err := l.newer.valueAfter(l.c, r)
	if err != nil || !known || digestOf(r.Kind, after) != r.after {
		return false, err
	}
	content, err := withoutVersion(r.Kind, after)
	if err != nil {
		return false, err
	}
	now, err := withoutVersion(r.Kind, value)
	return bytes.Equal(content, now), err
}

// withoutVersion returns the record of an event or a to-do without what differs between
// versions with the same content, from a value of the history.
func withoutVersion(kind Kind, value []byte) ([]byte, error) {
	if kind == KindTodo {
		t, err := todoOfValue(value)
		t.clearVersion()
		return recordOfTodo(&t), err
	}
	e, err := eventOfValue(value)
	e.clearVersion()
	return recordOfEvent(&e), err
}

// clearVersion removes the version and the times that a service assigns.
func (e *Event) clearVersion() {
	e.Sequence, e.CreatedAt, e.UpdatedAt = 0, time.UnixMilli(0), time.UnixMilli(0)
}
