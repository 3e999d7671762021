package search

import (
	"errors"
	"maps"
	"slices"

	"techo/store/kv"
)

// Add adds texts and sets their numbers. A large set goes directly into the lists.
func (x Index) Add(tx kv.Tx, docs []Doc) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	n.Version = version
	for i := range docs {
		d := &docs[i]
		d.Num = n.Next
		n.Next++
		n.Texts++
		n.Length += int64(d.Bag.Length)
	}
	if len(docs) < mayWait {
		for i := range docs {
			b := docs[i].record()
			if err := tx.Put(x.key(waitingPrefix, docs[i].Num), b); err != nil {
				return err
			}
			n.Waiting++
			n.Bytes += len(b)
		}
		docs = nil
	}
	if docs != nil || n.Waiting >= mayWait || n.Bytes >= mayWaitBytes {
		if err := x.fold(tx, &n, docs); err != nil {
			return err
		}
	}
	return x.saveNumbers(tx, n)
}

// fold moves all waiting texts, and the additional ones after them, into the
// lists.
func (x Index) fold(tx kv.Tx, n *numbers, more []Doc) error {
	var docs []Doc
	if n.Waiting > 0 {
		err := x.waiting(tx, n.Version, func(d Doc) error {
			docs = append(docs, d)
			return nil
		})
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := tx.Delete(x.key(waitingPrefix, d.Num)); err != nil {
				return err
			}
		}
	}
	if docs = append(docs, more...); len(docs) > 0 {
		if err := x.apply(tx, docs, 1); err != nil {
			return err
		}
	}
	n.Waiting, n.Bytes, n.Folded = 0, 0, n.Next
	return nil
}

// Remove removes a text. d must equal the text that was added.
func (x Index) Remove(tx kv.Tx, d Doc) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	n.Texts--
	n.Length -= int64(d.Bag.Length)
	if d.Num >= n.Folded {
		n.Waiting--
		n.Bytes -= len(d.record())
		if err := tx.Delete(x.key(waitingPrefix, d.Num)); err != nil {
			return err
		}
	} else if err := x.apply(tx, []Doc{d}, -1); err != nil {
		return err
	}
	return x.saveNumbers(tx, n)
}

// apply adds texts to the lists, or removes them if sign is -1.
func (x Index) apply(tx kv.Tx, docs []Doc, sign int32) error {
	lists := map[string][]change{}
	for _, d := range docs {
		for _, t := range d.Bag.Terms {
			lists[t.Term] = append(lists[t.Term], change{d.Num, sign * int32(t.N), roundLength(d.Bag.Length)})
		}
	}
	terms := slices.Sorted(maps.Keys(lists))
	if err := announceChanges(x, tx, terms, lists, docs); err != nil {
		return err
	}
	for _, term := range terms {
		if err := x.change(tx, term, lists[term]); err != nil {
			return err
		}
	}
	return x.saveOwners(tx, docs, sign > 0)
}

// loadChunk returns a record, or nil if it is missing.
func (x Index) loadChunk(tx kv.Tx, key []byte) ([]byte, error) {
	b, err := tx.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	return b, err
}
