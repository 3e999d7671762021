package store

import (
	"slices"
	"sync"
)

// schemas returns the kinds of records. Memories come first: repairing them
// clears the search index, which they share with memos.
var schemas = sync.OnceValue(func() *Schemas {
	all := Schemas{Erase: eraseReceiptsOf, EraseWith: eraseReceiptsWith, Purge: purge}
	all.All = slices.Concat([]Schema{memorySchema(), memoSchema()}, calendarSchemas(),
		[]Schema{questionSchema(), webSchema(), editSchema(), historySchema(), tokenSchema(), receiptSchema(),
			spaceSchema()})
	return all.Prepared()
})
