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

func TodoKey(calendar, id string) []byte { return append(Records.Named(calendar), id...) }

func TodoPlaceKey(id string) []byte { return Places.Key(id) }

// TodoUIDKey is uidKey for a to-do.
func TodoUIDKey(calendar, uid, recurrenceID string) []byte {
	return event.OfUID(UIDs, calendar, uid, recurrenceID)
}
