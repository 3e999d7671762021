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

// compared is how many memories, the best matches of a new one, are checked for
// contradictions.
const compared = 12

// alikeMemories returns the memories that are similar to a memory or likely to
// contradict it.
func alikeMemories(tx kv.Tx, m Memory) (like Alike, err error) {
	u, err := loadMemoryUser(tx, m.User, false)
	if err != nil {
		return like, err
	}
	d := NewDrafter()
	m.Supersedes = nil
	bag := d.Draft(m).bag
	sharing, err := u.index().Sharing(tx, bag)
	if err != nil {
		return like, err
	}
	for _, id := range sharing {
		if id == m.ID {
			continue
		}
		r, err := indexedMemory(tx, u.Number, id)
		if err != nil {
			return like, err
		}
		if bag.Overlap(d.Draft(r.memory()).bag) >= search.NearlySame {
			like.Similar = append(like.Similar, id)
		}
	}
	like.Contradicts, err = u.contradicting(tx, m)
	return like, err
}

// contradicting returns the ids of memories that are likely to contradict one.
func (u memoryUser) contradicting(tx kv.Tx, m Memory) (ids []string, err error) {
	q := search.Query{Text: m.FullText[:min(len(m.FullText), captionText)], Limit: compared}
	if q.Keep, err = u.visible(tx, MemoryFilter{Scope: m.Scope}, m.UpdatedAt); err != nil {
		return nil, err
	}
	found, err := u.index().Find(tx, q)
	if err != nil {
		return nil, err
	}
	own := claimsOf(m.FullText)
	for _, h := range found.Hits {
		if h.ID == m.ID {
			continue
		}
		r, err := indexedMemory(tx, u.Number, h.ID)
		if err != nil {
			return nil, err
		}
		if contradict(own, claimsOf(r.Full)) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}
