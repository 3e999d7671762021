package store

import (
	"techo/store/kv"
	"techo/store/search"
)

// Alike has the ids of memories to compare with a new one.
type Alike struct {
	Similar     []string // with nearly the same words
	Contradicts []string // with a statement that is likely to contradict one of the new memory
}

// similarFrom is the share of the rarest words of a memory that a memory with nearly
// the same words has at least.
const similarFrom = 0.5

// alikeMemories returns the memories that are similar to a memory with the text of a draft or
// likely to contradict it, of those with its rarest words.
func alikeMemories(tx kv.Tx, u memoryUser, d Draft, m Memory) (like Alike, err error) {
	near, err := u.index().Alike(tx, d.bag)
	if err != nil {
		return like, err
	}
	if err := announceAlike(tx, u.Number, near); err != nil {
		return like, err
	}
	own, drafter := claimsOf(m.FullText), NewDrafter()
	for _, n := range near {
		if n.ID == m.ID {
			continue
		}
		r, err := indexedMemory(tx, u.Number, n.ID)
		if err != nil {
			return like, err
		}
		if n.Share >= similarFrom && d.bag.Overlap(drafter.Draft(r.memory()).bag) >= search.NearlySame {
			like.Similar = append(like.Similar, n.ID)
		}
		expired := r.Expires != 0 && r.Expires <= m.UpdatedAt.UnixMilli()
		if !expired && r.scope() == m.Scope && contradict(own, claimsOf(r.Full)) {
			like.Contradicts = append(like.Contradicts, n.ID)
		}
	}
	return like, nil
}

// announceAlike announces the reads of the records of similar memories.
func announceAlike(tx kv.Tx, user uint32, near []search.Alike) error {
	return tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{All: true}
		for _, n := range near {
			reads.Keys = append(reads.Keys, memoryKey(user, n.ID))
		}
		return reads
	})
}
