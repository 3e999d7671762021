package calendar

import (
	"bytes"

	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
)

// atCalDAV reports whether a value of the history is of a calendar at a CalDAV server, which keeps
// versions.
func atCalDAV(tx *ledger.Tx, value []byte) (bool, error) {
	c, err := event.CalendarAt(&event.Tx{Tx: tx, Calendars: map[string]*event.Calendar{}},
		(&ledger.FieldReader{B: value}).Text())
	return err == nil && c.Kind == event.CalDAVCalendar, ledger.IgnoreMissing(err)
}

// sameEvent reports whether two values of the history have the same content, whatever their version
// and the times that a service assigns.
func sameEvent(a, b []byte) (bool, error) {
	one, err := ofEventValue(a)
	if err != nil {
		return false, err
	}
	other, err := ofEventValue(b)
	one.ClearVersion()
	other.ClearVersion()
	return bytes.Equal(event.RecordOf(&one), event.RecordOf(&other)), err
}

// sameTodo is sameEvent for to-dos.
func sameTodo(a, b []byte) (bool, error) {
	one, err := todo.OfValue(a)
	if err != nil {
		return false, err
	}
	other, err := todo.OfValue(b)
	one.ClearVersion()
	other.ClearVersion()
	return bytes.Equal(todo.RecordOf(&one), todo.RecordOf(&other)), err
}
