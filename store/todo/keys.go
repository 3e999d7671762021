package todo

import (
	"cmp"
	"encoding/binary"

	"techo/store/event"
	"techo/store/ledger"
)

// The prefixes of the keys of to-dos.
const (
	Records  ledger.Prefix = "ct"
	Places   ledger.Prefix = "ca"
	UIDs     ledger.Prefix = "cd"
	ordered  ledger.Prefix = "cl"
	waits    ledger.Prefix = "cw"
	countKey ledger.Prefix = "cx"

	// FormerPlaces are the Places of versions that had no order, which may still add to-dos.
	FormerPlaces ledger.Prefix = "cy"
)

// Key returns the key of a record.
func Key(calendar, id string) []byte { return append(Records.Named(calendar), id...) }

// PlaceKey returns the key of the entry with the calendar of a to-do.
func PlaceKey(id string) []byte { return Places.Key(id) }

// UIDKey is uidKey for a to-do.
func UIDKey(calendar, uid, recurrenceID string) []byte {
	return event.OfUID(UIDs, calendar, uid, recurrenceID)
}

// waitKey is the key of an entry with a to-do that waits for the one with a UID.
func waitKey(calendar, uid, id string) []byte { return event.OfUID(waits, calendar, uid, id) }

// The sections of the order of a calendar's to-dos.
const (
	series   = 'r' // open series
	days     = 'd' // open, due on a day: day, priority, creation, title
	times    = 't' // open, due at a time: local time
	undated  = 'u' // open, without a due time: priority, local start, creation, title
	starting = 's' // some of the open ones again, by local start: they have to start before they are due
	finished = 'x' // completed or cancelled: the latest first, title
)

// section returns the start of the keys of a section.
func section(calendar string, s byte) []byte { return append(ordered.Named(calendar), s) }

// orderKey is the key of a to-do in the order of its calendar, which ends with its id.
func orderKey(t *Todo) []byte {
	b := func(s byte) []byte { return section(t.Calendar, s) }
	priority := byte(cmp.Or(t.Priority, 10))
	const most = 40 // bytes of a title
	title := func(b []byte) []byte { return append(append(b, t.Title[:min(most, len(t.Title))]...), 0) }
	due := t.End()
	switch {
	case !t.Open():
		at := int64(0)
		if !t.CompletedAt.IsZero() {
			at = t.CompletedAt.UnixMilli()
		}
		return append(title(appendNumber(b(finished), -at)), t.ID...)
	case t.Recurs():
		return append(b(series), t.ID...)
	case t.HasDue && t.Form == event.AllDay:
		return append(title(appendNumber(append(appendNumber(b(days), due.Unix()), priority), t.CreatedAt.UnixMilli())), t.ID...)
	case t.HasDue:
		return append(appendNumber(b(times), due.Unix()), t.ID...)
	}
	return append(title(appendNumber(appendNumber(append(b(undated), priority), due.Unix()), t.CreatedAt.UnixMilli())), t.ID...)
}

// startKey is the key of a to-do that has to start before it is due, by its start.
func startKey(t *Todo) []byte {
	return append(appendNumber(section(t.Calendar, starting), t.Start.Unix()), t.ID...)
}

// appendNumber appends a number so that lesser ones sort first.
func appendNumber(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)^1<<63) }
