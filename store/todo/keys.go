package todo

import (
	"techo/store/event"
	"techo/store/ledger"
)

// The prefixes of the keys of to-dos.
const (
	Records ledger.Prefix = "ct"
	Places  ledger.Prefix = "cy"
	UIDs    ledger.Prefix = "cd"
)

// Key returns the key of a record.
func Key(calendar, id string) []byte { return append(Records.Named(calendar), id...) }

// PlaceKey returns the key of the entry with the calendar of a to-do.
func PlaceKey(id string) []byte { return Places.Key(id) }

// UIDKey is uidKey for a to-do.
func UIDKey(calendar, uid, recurrenceID string) []byte {
	return event.OfUID(UIDs, calendar, uid, recurrenceID)
}
