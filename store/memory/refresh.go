package memory

import (
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// refreshMemories builds the index of a user's memories again.
func refreshMemories(user uint32) ledger.Refreshing {
	return func(tx *ledger.Tx) (bool, error) {
		return search.At(user).Rebuild(tx, ledger.RefreshBatch, MemoryTexts(tx, user))
	}
}

// MemoryTexts returns the texts of a user's memories.
func MemoryTexts(tx kv.Tx, user uint32) search.TextsAfter {
	drafter := NewDrafter()
	return ledger.TextsOf(tx, Key(user, ""), func(p kv.Pair) (search.Doc, error) {
		r, err := Decode(p.Key, p.Value)
		return r.doc(drafter.Draft(r.memory())), err
	})
}
