package search

import "techo/store/kv"

// announceChanges announces the reads of changes to lists: the heads and the chunks of
// owners, and then the blocks that change.
func announceChanges(x Index, tx kv.Tx, lists []changed, docs []Doc) error {
	wanted := false
	err := tx.Prefetch(func() (reads kv.Reads) {
		wanted = true
		for _, l := range lists {
			reads.Keys = append(reads.Keys, x.headKey(l.term))
		}
		for i, d := range docs {
			if chunk := d.Num / ownersPerChunk; i == 0 || chunk != docs[i-1].Num/ownersPerChunk {
				reads.Keys = append(reads.Keys, x.key(ownerPrefix, chunk))
			}
		}
		return reads
	})
	if err != nil || !wanted {
		return err
	}
	return tx.Prefetch(func() (reads kv.Reads) {
		for _, l := range lists {
			h, err := x.loadHead(tx, l.term)
			if err != nil {
				continue // the change reports it
			}
			for _, first := range changedBlocks(h.firsts, l.changes) {
				reads.Keys = append(reads.Keys, x.blockKey(l.term, first))
			}
		}
		return reads
	})
}

// changedBlocks returns the first numbers of the blocks in which changes lie. Both are
// sorted.
func changedBlocks(firsts []uint32, changes []change) (changed []uint32) {
	for i, first := range firsts {
		n := 0
		for n < len(changes) && (i == len(firsts)-1 || changes[n].num < firsts[i+1]) {
			n++
		}
		if changes = changes[n:]; n > 0 {
			changed = append(changed, first)
		}
	}
	return changed
}
