package store

import (
	"techo/store/kv"
	"techo/store/search"
)

// refreshMemoryIndex returns search.ErrOutdated unless the search index of a user can be written to.
func refreshMemoryIndex(tx *Tx, user uint32) error { return search.At(user).Ready(tx) }

// refreshMemories builds the index of a user's memories again.
func refreshMemories(user uint32) refreshing {
	return func(tx *Tx) (bool, error) {
		return search.At(user).Rebuild(tx, refreshBatch, memoryTexts(tx, user))
	}
}

// memoryTexts returns the texts of a user's memories.
func memoryTexts(tx kv.Tx, user uint32) search.TextsAfter {
	drafter := NewDrafter()
	return textsOf(tx, memoryKey(user, ""), func(p kv.Pair) (search.Doc, error) {
		r, err := decodeMemory(p.Key, p.Value)
		return r.doc(drafter.Draft(r.memory()).bag), err
	})
}
