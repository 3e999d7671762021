package store

// The prefixes of the keys of to-dos.
const (
	todoRecords space = "ct"
	todoPlaces  space = "cy"
	todoUIDs    space = "cd"
)

func todoKey(calendar, id string) []byte { return append(todoRecords.named(calendar), id...) }

func todoPlaceKey(id string) []byte { return todoPlaces.key(id) }

// todoUIDKey is uidKey for a to-do.
func todoUIDKey(calendar, uid, recurrenceID string) []byte {
	return ofUID(todoUIDs, calendar, uid, recurrenceID)
}

var todoPrefixes = []space{todoRecords, todoPlaces, todoUIDs}
