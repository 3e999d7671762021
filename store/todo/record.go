package todo

import (
	"encoding/binary"
	"time"

	"techo/store/event"
	"techo/store/ledger"
)

// The record of a to-do is a byte 1, its numbers as unsigned varints, and the record of
// the fields that it shares with events.
//
//	flags      1 starts, 2 has due
//	numbers    priority, percent, time of completion in milliseconds since 1970
//
// The flags and the order must never change.
const (
	todoStarts = 1 << iota
	todoHasDue
)

func RecordOf(t *Todo) []byte {
	flags, at := uint64(0), uint64(0)
	if t.Starts {
		flags |= todoStarts
	}
	if t.HasDue {
		flags |= todoHasDue
	}
	if !t.CompletedAt.IsZero() {
		at = uint64(max(t.CompletedAt.UnixMilli(), 1))
	}
	b := []byte{1}
	for _, n := range []uint64{flags, uint64(t.Priority), uint64(t.Percent), at} {
		b = binary.AppendUvarint(b, n)
	}
	return append(b, event.RecordOf(&t.Event)...)
}

// ReadTodo decodes a record of recordOfTodo.
func ReadTodo(calendar string, b []byte) (t Todo, err error) {
	r := &ledger.FieldReader{B: b}
	if r.Byte() != 1 {
		return t, ledger.Finding(ledger.Unreadable, ledger.KindTodo, "", nil)
	}
	flags, priority, percent, at := r.Number(), r.Number(), r.Number(), r.Number()
	if r.Err != nil {
		return t, ledger.Finding(ledger.Unreadable, ledger.KindTodo, "", r.Err)
	}
	if t.Event, err = event.ReadFields(calendar, r.B); err != nil {
		return t, ledger.Finding(ledger.Unreadable, ledger.KindTodo, "", nil)
	}
	t.Etag = ledger.Etag(b)
	t.Starts, t.HasDue = flags&todoStarts != 0, flags&todoHasDue != 0
	t.Priority, t.Percent = int(priority), int(percent)
	if at != 0 {
		t.CompletedAt = time.UnixMilli(int64(at))
	}
	return t, nil
}

// Decode decodes the record of a to-do, whose key has its id and the key of its
// calendar. The to-do has that in place of the name.
func Decode(key, value []byte) (t Todo, err error) {
	calendar, id, ok := ledger.CutNamed(key)
	if !ok || len(calendar) > event.MaxCalendarKey || len(id) == 0 {
		return t, ledger.Finding(ledger.UnknownKey, ledger.KindTodo, string(key), nil)
	}
	if t, err = ReadTodo(calendar, value); err != nil {
		return t, ledger.Finding(ledger.Unreadable, ledger.KindTodo, string(id), nil)
	}
	if t.ID != string(id) {
		return t, ledger.Finding(ledger.WrongKey, ledger.KindTodo, string(id), nil)
	}
	return t, nil
}

// OfValue decodes the value of a to-do in the history.
func OfValue(value []byte) (Todo, error) {
	r := &ledger.FieldReader{B: value}
	calendar := r.Text()
	if r.Err != nil {
		return Todo{}, r.Err
	}
	return ReadTodo(calendar, r.B)
}
