package search

import (
	"bytes"
	"errors"

	"techo/store/kv"
)

// # Rebuilding
//
// The index of an earlier version is built again from the records, a bounded number of
// texts in each transaction. Its lists and owners stay beside the new ones until those
// are complete, and answer questions meanwhile. Then one transaction changes the
// version, and the next ones remove the former records. Each step begins where the last
// committed one ended, so a process that is killed loses one step at most.

// rebuilt is how far an index has been built again.
type rebuilt struct {
	Next   uint32 `json:"next"` // number of the next text
	Texts  int    `json:"texts"`
	Length int64  `json:"length"`
}

// keysPerText is the number of former records that are removed in place of a text that
// is added.
const keysPerText = 4

// Rebuild does a part of the work that an index of an earlier version needs before
// texts can be added or removed: it adds most texts again, or removes some former
// records. read returns the record with an id. done is true if no work is left.
func (x Index) Rebuild(tx kv.Tx, most int, read func(id string) (Doc, error)) (done bool, err error) {
	n, err := x.numbers(tx)
	if err != nil || !n.outdated() && !n.Former {
		return err == nil, err
	}
	work := most
	if n.outdated() {
		if work, err = addAgain(tx, x, &n, most, read); err != nil {
			return false, err
		}
	}
	if !n.outdated() {
		if n.Former, err = dropFormer(tx, x, work*keysPerText); err != nil {
			return false, err
		}
	}
	return !n.Former && !n.outdated(), x.saveNumbers(tx, n)
}

// addAgain adds up to most texts of an outdated index to the new lists. It returns how
// many fewer it needed to add.
func addAgain(tx kv.Tx, x Index, n *numbers, most int, read func(id string) (Doc, error)) (left int, err error) {
	f := &finding{index: x, tx: tx, numbers: *n}
	if err := f.open(); err != nil {
		return 0, err
	}
	if n.Rebuilt == nil {
		n.Rebuilt = &rebuilt{}
	}
	r, all := n.Rebuilt, f.numbers
	var docs []Doc
	for ; r.Next < all.Next && len(docs) < most; r.Next++ {
		o, err := f.owner(r.Next)
		if err != nil {
			return 0, err
		}
		if o.ID == "" {
			continue // removed
		}
		d, err := read(o.ID)
		if err != nil {
			return 0, err
		}
		if d.Num != r.Next {
			return 0, x.corrupt("", reason(MissingText, d.Num))
		}
		r.Texts++
		r.Length += int64(d.Bag.Length)
		docs = append(docs, d)
	}
	if err := x.apply(tx, docs, 1); err != nil {
		return 0, err
	}
	if r.Next < all.Next {
		return 0, nil
	}
	if r.Texts != all.Texts {
		return 0, x.corrupt("", reason(WrongTextCount, all.Texts, all.Length, r.Texts, r.Length))
	}
	for _, d := range f.waiting {
		if err := tx.Delete(waitingKey(x, d.Num)); err != nil {
			return 0, err
		}
	}
	*n = numbers{Version: version, Next: all.Next, Folded: all.Next, Texts: r.Texts, Length: r.Length, Former: true}
	return most - len(docs), nil
}

// dropFormer removes up to most records of an earlier version. It returns whether more
// may be left.
func dropFormer(tx kv.Tx, x Index, most int) (more bool, err error) {
	var keys [][]byte
	err = x.Former(tx, func(key []byte) error {
		if more = len(keys) == most; more {
			return errEnough
		}
		keys = append(keys, bytes.Clone(key))
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, err
	}
	for _, key := range keys {
		if err := tx.Delete(key); err != nil {
			return false, err
		}
	}
	return more, nil
}

var errEnough = errors.New("enough")

// Former calls use with the keys of the lists and owners that an earlier version has
// written.
func (x Index) Former(tx kv.Tx, use func(key []byte) error) error {
	for _, prefix := range [][]byte{
		append(x.key(headPrefix), formerKind), append(x.key(headPrefix), formerGroups),
		append(x.key(blockPrefix), formerKind), append(x.key(blockPrefix), formerGroups),
		x.key(formerLengths), x.key(formerOwners),
	} {
		for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
			if err == nil {
				err = use(item.Key)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
