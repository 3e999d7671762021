package store

import (
	"bytes"
)

// atCalDAV reports whether a value of the history is of a calendar at a CalDAV server, which keeps
// versions.
func atCalDAV(tx *Tx, value []byte) (bool, error) {
	c, err := calendarAt(&eventTx{tx: tx, calendars: map[string]*Calendar{}}, (&fieldReader{b: value}).text())
	return err == nil && c.Kind == CalDAVCalendar, ignoreMissing(err)
}

// sameEvent reports whether two values of the history have the same content, whatever their version
// and the times that a service assigns.
func sameEvent(a, b []byte) (bool, error) {
	one, err := eventOfValue(a)
	if err != nil {
		return false, err
	}
	other, err := eventOfValue(b)
	one.clearVersion()
	other.clearVersion()
	return bytes.Equal(recordOfEvent(&one), recordOfEvent(&other)), err
}

// sameTodo is sameEvent for to-dos.
func sameTodo(a, b []byte) (bool, error) {
	one, err := todoOfValue(a)
	if err != nil {
		return false, err
	}
	other, err := todoOfValue(b)
	one.clearVersion()
	other.clearVersion()
	return bytes.Equal(recordOfTodo(&one), recordOfTodo(&other)), err
}
