package store

import (
	"errors"

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

// alikeMemories returns the memories that are similar to a memory or likely to
// contradict it, of those with its rarest words.
func alikeMemories(tx kv.Tx, m Memory) (like Alike, err error) {
	u, err := loadMemoryUser(tx, m.User, false)
	if err != nil || u.Number == 0 { // beside the transaction that adds the first one
		return like, err
	}
	d := NewDrafter()
	m.Supersedes = nil
	bag := d.Draft(m).bag
	near, err := u.index().Alike(tx, bag)
	if err != nil {
		return like, err
	}
	own := claimsOf(m.FullText)
	for _, n := range near {
		if n.ID == m.ID {
			continue
		}
		r, err := indexedMemory(tx, u.Number, n.ID)
		if err != nil {
			return like, err
		}
		if n.Share >= similarFrom && bag.Overlap(d.Draft(r.memory()).bag) >= search.NearlySame {
			like.Similar = append(like.Similar, n.ID)
		}
		expired := r.Expires != 0 && r.Expires <= m.UpdatedAt.UnixMilli()
		if !expired && r.scope() == m.Scope && contradict(own, claimsOf(r.Full)) {
			like.Contradicts = append(like.Contradicts, n.ID)
		}
	}
	return like, nil
}

// keepPresent drops the memories that a group of writes in a database does not find: it may
// have removed them, and they were looked for beside it. Other transactions do not look,
// because they would meet those that add memories beside these.
func (l *Alike) keepPresent(tx kv.Tx, user string) error {
	if !crowded(tx) || len(l.Similar)+len(l.Contradicts) == 0 {
		return nil
	}
	u, err := loadMemoryUser(tx, user, false)
	if err != nil {
		return err
	}
	for _, ids := range []*[]string{&l.Similar, &l.Contradicts} {
		var present []string
		for _, id := range *ids {
			_, err := loadMemory(tx, u.Number, id)
			if err == nil {
				present = append(present, id)
			} else if !errors.Is(err, kv.ErrNotFound) {
				return err
			}
		}
		*ids = present
	}
	return nil
}
