package store

import (
	"encoding/binary"
	"time"
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

func recordOfTodo(t *Todo) []byte {
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
	return append(b, recordOfEvent(&t.Event)...)
}

// readTodo decodes a record of recordOfTodo.
func readTodo(calendar string, b []byte) (t Todo, err error) {
	r := &fieldReader{b: b}
	if r.byte() != 1 {
		return t, finding(Unreadable, KindTodo, "", nil)
	}
	flags, priority, percent, at := r.number(), r.number(), r.number(), r.number()
	if r.err != nil {
		return t, finding(Unreadable, KindTodo, "", r.err)
	}
	if t.Event, err = readFields(calendar, r.b); err != nil {
		return t, finding(Unreadable, KindTodo, "", nil)
	}
	t.Etag = etag(b)
	t.Starts, t.HasDue = flags&todoStarts != 0, flags&todoHasDue != 0
	t.Priority, t.Percent = int(priority), int(percent)
	if at != 0 {
		t.CompletedAt = time.UnixMilli(int64(at))
	}
	return t, nil
}

// decodeTodo decodes the record of a to-do, whose key has its id and the key of its
// calendar. The to-do has that in place of the name.
func decodeTodo(key, value []byte) (t Todo, err error) {
	calendar, id, ok := cutNamed(key)
	if !ok || len(calendar) > maxCalendarKey || len(id) == 0 {
		return t, finding(UnknownKey, KindTodo, string(key), nil)
	}
	if t, err = readTodo(calendar, value); err != nil {
		return t, finding(Unreadable, KindTodo, string(id), nil)
	}
	if t.ID != string(id) {
		return t, finding(WrongKey, KindTodo, string(id), nil)
	}
	return t, nil
}

// todoOfValue decodes the value of a to-do in the history.
func todoOfValue(value []byte) (Todo, error) {
	r := &fieldReader{b: value}
	calendar := r.text()
	if r.err != nil {
		return Todo{}, r.err
	}
	return readTodo(calendar, r.b)
}
