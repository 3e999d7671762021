package search

import (
	"encoding/binary"
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
	for i := range docs {
		d := &docs[i]
		d.Num = n.Next
		n.Next++
		n.Texts++
		n.Length += int64(d.Bag.Length)
		if d.Group != 0 {
			n.Grouped++
		}
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
		err := x.waiting(tx, func(d Doc) error {
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
	if d.Group != 0 {
		n.Grouped--
	}
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
			lists[t.Term] = append(lists[t.Term], change{d.Num, sign * int32(t.N), d.Bag.Length})
		}
	}
	terms := slices.Sorted(maps.Keys(lists))
	for _, term := range terms {
		if err := x.change(tx, texts, term, lists[term]); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(docs, func(d Doc) bool { return d.Group != 0 }) {
		if err := x.applyGroups(tx, docs, sign); err != nil {
			return err
		}
	}
	lengths := make(map[uint32]int64, len(docs))
	for _, d := range docs {
		lengths[d.Num] = int64(sign) * int64(d.Bag.Length)
	}
	if err := x.addLengths(tx, texts, lengths); err != nil {
		return err
	}
	return x.saveOwners(tx, docs, sign > 0)
}

// applyGroups is apply for the lists of groups.
func (x Index) applyGroups(tx kv.Tx, docs []Doc, sign int32) error {
	lists, lengths := map[string]map[uint32]int32{}, map[uint32]int64{}
	for _, d := range docs {
		if d.Group == 0 {
			continue
		}
		lengths[d.Group] += int64(sign) * int64(d.Bag.Length)
		for _, t := range d.Bag.Terms {
			if lists[t.Term] == nil {
				lists[t.Term] = map[uint32]int32{}
			}
			lists[t.Term][d.Group] += sign * int32(t.N)
		}
	}
	for _, term := range slices.Sorted(maps.Keys(lists)) {
		var changes []change
		for _, g := range slices.Sorted(maps.Keys(lists[term])) {
			changes = append(changes, change{num: g, n: lists[term][g]})
		}
		if err := x.change(tx, groups, term, changes); err != nil {
			return err
		}
	}
	return x.addLengths(tx, groups, lengths)
}

// The lengths of a kind are an array that is stored in chunks.

func (k kind) width() int { // bytes of a length
	if k == texts {
		return 2
	}
	return 4
}

func (k kind) perChunk() uint32 {
	if k == texts {
		return 16384
	}
	return 1024
}

func (k kind) length(b []byte, i uint32) uint32 {
	if int(i+1)*k.width() > len(b) {
		return 0
	}
	if k == texts {
		return uint32(binary.BigEndian.Uint16(b[2*i:]))
	}
	return binary.BigEndian.Uint32(b[4*i:])
}

func (k kind) setLength(b []byte, i, length uint32) {
	if k == texts {
		binary.BigEndian.PutUint16(b[2*i:], uint16(length))
		return
	}
	binary.BigEndian.PutUint32(b[4*i:], length)
}

// addLengths changes the lengths of texts or groups.
func (x Index) addLengths(tx kv.Tx, k kind, add map[uint32]int64) error {
	nums := slices.Sorted(maps.Keys(add))
	for len(nums) > 0 {
		chunk := nums[0] / k.perChunk()
		n := 0
		for n < len(nums) && nums[n]/k.perChunk() == chunk {
			n++
		}
		b, err := x.loadChunk(tx, x.lengthKey(k, chunk))
		if err != nil {
			return err
		}
		// Keep the last chunk short: it is rewritten often.
		size := int(nums[n-1]%k.perChunk()+1) * k.width()
		b = append(slices.Clone(b), make([]byte, max(0, size-len(b)))...)
		for _, num := range nums[:n] {
			i := num % k.perChunk()
			length := int64(k.length(b, i)) + add[num]
			if length < 0 {
				return x.corrupt("", errNotThere)
			}
			k.setLength(b, i, uint32(length))
		}
		if err := tx.Put(x.lengthKey(k, chunk), b); err != nil {
			return err
		}
		nums = nums[n:]
	}
	return nil
}

func (x Index) loadChunk(tx kv.Tx, key []byte) ([]byte, error) {
	b, err := tx.Get(key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	return b, err
}

// owner is the id and the group of a text. The id of a removed text is empty.
type owner struct {
	group uint32
	id    string
}

const ownersPerChunk = 256

func (x Index) loadOwners(tx kv.Tx, chunk uint32) ([]owner, error) {
	b, err := x.loadChunk(tx, x.key(ownerPrefix, chunk))
	if err != nil || len(b) == 0 {
		return nil, err
	}
	all := make([]owner, 0, ownersPerChunk)
	f := &fields{rest: b}
	for len(f.rest) > 0 {
		all = append(all, owner{uint32(f.number()), string(f.text())})
	}
	return all, x.corrupt("", f.err)
}

// loadOwner returns the owner of a text.
func (x Index) loadOwner(tx kv.Tx, num uint32) (owner, error) {
	b, err := x.loadChunk(tx, x.key(ownerPrefix, num/ownersPerChunk))
	if err != nil {
		return owner{}, err
	}
	f := &fields{rest: b}
	for range num % ownersPerChunk {
		f.number()
		f.text()
		if len(f.rest) == 0 { // at the end, or malformed
			return owner{}, x.corrupt("", f.err)
		}
	}
	if len(b) == 0 {
		return owner{}, nil
	}
	o := owner{uint32(f.number()), string(f.text())}
	return o, x.corrupt("", f.err)
}

// saveOwners records the owners of texts, or their removal. docs are sorted by
// number.
func (x Index) saveOwners(tx kv.Tx, docs []Doc, there bool) error {
	for len(docs) > 0 {
		chunk := docs[0].Num / ownersPerChunk
		all, err := x.loadOwners(tx, chunk)
		if err != nil {
			return err
		}
		for len(docs) > 0 && docs[0].Num/ownersPerChunk == chunk {
			i := int(docs[0].Num % ownersPerChunk)
			all = append(all, make([]owner, max(0, i+1-len(all)))...)
			all[i] = owner{}
			if there {
				all[i] = owner{docs[0].Group, docs[0].ID}
			}
			docs = docs[1:]
		}
		var b []byte
		for _, o := range all {
			b = appendText(binary.AppendUvarint(b, uint64(o.group)), o.id)
		}
		if err := tx.Put(x.key(ownerPrefix, chunk), b); err != nil {
			return err
		}
	}
	return nil
}
