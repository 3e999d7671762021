package search

import (
	"bytes"
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

// Clear removes the index. Texts that are added later get new numbers.
func (x Index) Clear(tx kv.Tx) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	for _, space := range Spaces() {
		var keys [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: x.key(space)}) {
			if err != nil {
				return err
			}
			keys = append(keys, bytes.Clone(item.Key))
		}
		for _, key := range keys {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
	}
	return x.saveNumbers(tx, numbers{Version: version, Next: n.Next, Folded: n.Next})
}

// Restore adds texts with the numbers that they had before Clear, in ascending
// order.
func (x Index) Restore(tx kv.Tx, docs []Doc) error {
	n, err := x.numbers(tx)
	if err != nil {
		return err
	}
	for _, d := range docs {
		n.Texts++
		n.Length += int64(d.Bag.Length)
	}
	if err := x.apply(tx, docs, 1); err != nil {
		return err
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
			lists[t.Term] = append(lists[t.Term], change{d.Num, sign * int32(t.N), d.Bag.Length})
		}
	}
	terms := slices.Sorted(maps.Keys(lists))
	for _, term := range terms {
		if err := x.change(tx, term, lists[term]); err != nil {
			return err
		}
	}
	lengths := make(map[uint32]int64, len(docs))
	for _, d := range docs {
		lengths[d.Num] = int64(sign) * int64(d.Bag.Length)
	}
	if err := x.addLengths(tx, lengths); err != nil {
		return err
	}
	return x.saveOwners(tx, docs, sign > 0)
}

// The lengths are an array that is stored in chunks.
const (
	lengthWidth     = 2 // bytes of a length
	lengthsPerChunk = 16384
)

// lengthAt returns a length of a chunk.
func lengthAt(b []byte, i uint32) uint32 {
	if int(i+1)*lengthWidth > len(b) {
		return 0
	}
	return uint32(binary.BigEndian.Uint16(b[lengthWidth*i:]))
}

// addLengths changes the lengths of texts.
func (x Index) addLengths(tx kv.Tx, add map[uint32]int64) error {
	nums := slices.Sorted(maps.Keys(add))
	for len(nums) > 0 {
		chunk := nums[0] / lengthsPerChunk
		n := 0
		for n < len(nums) && nums[n]/lengthsPerChunk == chunk {
			n++
		}
		b, err := x.loadChunk(tx, x.lengthKey(chunk))
		if err != nil {
			return err
		}
		// Keep the last chunk short: it is rewritten often.
		size := int(nums[n-1]%lengthsPerChunk+1) * lengthWidth
		b = append(slices.Clone(b), make([]byte, max(0, size-len(b)))...)
		for _, num := range nums[:n] {
			i := num % lengthsPerChunk
			length := int64(lengthAt(b, i)) + add[num]
			if length < 0 {
				return x.corrupt("", errNotThere)
			}
			binary.BigEndian.PutUint16(b[lengthWidth*i:], uint16(length))
		}
		if err := tx.Put(x.lengthKey(chunk), b); err != nil {
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
