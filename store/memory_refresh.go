package store

import "techo/store/search"

// refreshMemoryIndex builds the search index of a user again if an earlier version of
// techo has written it. It fails with an outdatedIndexError if that takes more than one
// transaction. The records and the numbers of their texts stay.
func refreshMemoryIndex(tx *Tx, user uint32) error {
	return refreshIndex(tx, refreshMemories(user, refreshBatch))
}

// refreshMemories adds up to most memories of a user again at a time.
func refreshMemories(user uint32, most int) refreshing {
	return func(tx *Tx) (bool, error) {
		drafter := NewDrafter()
		return search.At(user).Rebuild(tx, most, func(id string) (search.Doc, error) {
			r, err := indexedMemory(tx, user, id)
			return r.doc(drafter.Draft(r.memory()).bag), err
		})
	}
}
