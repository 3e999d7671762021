package search

import (
	"cmp"
	"slices"
	"strings"

	"techo/store/kv"
	"techo/store/search/vectors"
)

// Add adds texts and sets their numbers. A large set goes directly into the lists.
func (x Index) Add(tx kv.Tx, docs []Doc) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	if n.outdated() {
		return ErrOutdated
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
			if err := tx.Put(waitingKey(x, docs[i].Num), b); err != nil {
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
		err := x.waiting(tx, func(d Doc) error {
			docs = append(docs, d)
			return nil
		})
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := tx.Delete(waitingKey(x, d.Num)); err != nil {
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

// Remove removes texts. They must equal the added ones.
func (x Index) Remove(tx kv.Tx, docs ...Doc) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	if n.outdated() {
		return ErrOutdated
	}
	before := n
	var listed []Doc
	for _, d := range docs {
		if d.Num < n.Folded {
			listed = append(listed, d)
		} else {
			if err := tx.Delete(waitingKey(x, d.Num)); err != nil {
				return err
			}
			n.Waiting--
			n.Bytes -= len(d.record())
		}
		n.Texts--
		n.Length -= int64(d.Bag.Length)
	}
	if n == before {
		return nil
	}
	slices.SortFunc(listed, byNumber)
	if err := x.apply(tx, listed, -1); err != nil {
		return err
	}
	var nums []uint32
	for _, d := range docs {
		nums = append(nums, d.Num)
	}
	n.Models = n.Models.Clone()
	if err := n.Models.Remove(tx, x.space, nums); err != nil {
		return err
	}
	return x.saveNumbers(tx, n)
}

// byNumber orders texts by their numbers.
func byNumber(a, b Doc) int { return cmp.Compare(a.Num, b.Num) }

// apply adds texts to the lists, or removes them if sign is -1. It reads the first lists, the owners and the vectors
// together.
func (x Index) apply(tx kv.Tx, docs []Doc, sign int32) error {
	lists, meanings := changesOf(docs, sign), vectorsOf(docs, sign)
	var keys [][]byte
	for i, d := range docs {
		if chunk := d.Num / ownersPerChunk; i == 0 || chunk != docs[i-1].Num/ownersPerChunk {
			keys = append(keys, x.key(ownerPrefix, chunk))
		}
	}
	owners := len(keys)
	c := changing{Index: x, tx: tx}
	values, err := c.apply(lists, append(keys, x.vectors().Keys(meanings)...))
	if err != nil {
		return err
	}
	if err := x.saveOwners(tx, docs, values[:owners], sign > 0); err != nil {
		return err
	}
	return x.vectors().Apply(tx, meanings, values[owners:])
}

func (x Index) vectors() vectors.Set { return vectors.BuiltIn(x.space) }

// vectorsOf returns the changes of vectors by some texts.
func vectorsOf(docs []Doc, sign int32) (changes []vectors.Change) {
	for _, d := range docs {
		c := vectors.Change{Num: d.Num}
		if d.Vec.Zero() {
			continue
		}
		if sign > 0 {
			c.Vec = d.Vec.Append(nil)
		}
		changes = append(changes, c)
	}
	return changes
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

// changed has the changes of one list.
type changed struct {
	term    string
	changes []change
}

// changesOf returns the changes of the lists by some texts, sorted by term.
func changesOf(docs []Doc, sign int32) (lists []changed) {
	at, total := map[string]int{}, 0
	var counts []int
	for _, d := range docs {
		total += len(d.Bag.Terms)
	}
	places := make([]int32, 0, total) // in lists, of all terms of all texts
	for _, d := range docs {
		for _, t := range d.Bag.Terms {
			i, ok := at[t.Term]
			if !ok {
				i = len(lists)
				at[t.Term] = i
				lists, counts = append(lists, changed{term: t.Term}), append(counts, 0)
			}
			counts[i]++
			places = append(places, int32(i))
		}
	}
	all := make([]change, total) // one array, because most lists change by one text
	for i, n := range counts {
		lists[i].changes, all = all[:0:n], all[n:]
	}
	for _, d := range docs {
		length := roundLength(d.Bag.Length)
		for _, t := range d.Bag.Terms {
			l := &lists[places[0]]
			l.changes, places = append(l.changes, change{d.Num, sign * int32(t.N), length}), places[1:]
		}
	}
	slices.SortFunc(lists, func(a, b changed) int { return strings.Compare(a.term, b.term) })
	return lists
}
