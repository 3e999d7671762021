// Package search is the inverted index: which texts have a term, and which of
// them answer a question best. It is kept in the transactions of what it
// indexes, so that it can never disagree with it.
//
// # Keys
//
// A space is the index of one user, or of all memos; it knows nothing of the
// others. Numbers are big-endian.
//
//	sn space                    numbers of a space, JSON
//	sq space text               a text that waits to be folded in
//	st space kind term          head of a term's list (list.go)
//	sb space kind term \0 first block of a term's list
//	sl space kind chunk         lengths: 16,384 texts of 2 bytes, or 1,024 groups of 4
//	si space chunk              group and id of each of 256 texts
//
// space, text, first and chunk are 4 bytes, kind is d for texts and g for
// groups. A group is a run of texts that belong together, such as a session.
//
// A text that is added alone waits in one record; when a few hundred wait, all
// are folded into the lists at once. So to add one costs the same however many
// there are, and a list is not rewritten for each.
package search

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"techo/store/kv"
)

// Index is the index of one space.
type Index struct{ space uint32 }

// At returns the index of a space.
func At(space uint32) Index { return Index{space} }

// Doc is a text as the index keeps it.
type Doc struct {
	Num   uint32 // Add chooses it; texts are numbered as they come
	ID    string // what the owner knows it by
	Group uint32 // 0 is none
	Bag   Bag
}

// When texts that wait are folded in.
const (
	mayWait      = 256
	mayWaitBytes = 256 << 10
)

// numbers are those of a space.
type numbers struct {
	Next    uint32 `json:"next"`    // number of the next text
	Folded  uint32 `json:"folded"`  // texts below are in the lists
	Texts   int    `json:"texts"`   // that are there
	Length  int64  `json:"length"`  // of all of them
	Waiting int    `json:"waiting"` // texts at or above Folded
	Bytes   int    `json:"bytes"`   // of their records
	Grouped int    `json:"grouped"` // texts that have a group
}

func (x Index) key(name string, parts ...uint32) []byte {
	b := binary.BigEndian.AppendUint32(append(make([]byte, 0, 24), name...), x.space)
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, p)
	}
	return b
}

func (x Index) headKey(k kind, term string) []byte {
	return append(append(x.key("st"), byte(k)), term...)
}

func (x Index) blockPrefix(k kind, term string) []byte {
	return append(append(append(x.key("sb"), byte(k)), term...), 0)
}

func (x Index) blockKey(k kind, term string, first uint32) []byte {
	return binary.BigEndian.AppendUint32(x.blockPrefix(k, term), first)
}

func (x Index) lengthKey(k kind, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(append(x.key("sl"), byte(k)), chunk)
}

func (x Index) numbers(tx kv.Tx) (n numbers, err error) {
	b, err := tx.Get(x.key("sn"))
	if errors.Is(err, kv.ErrNotFound) {
		return n, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	return n, x.corrupt("", err)
}

func (x Index) saveNumbers(tx kv.Tx, n numbers) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return tx.Put(x.key("sn"), b)
}

// record is a text that waits, as it is kept:
//
//	group, length of id, id, length, number of terms,
//	then of each its length, itself, its count
//
// all numbers unsigned varints.
func (d *Doc) record() []byte {
	b := binary.AppendUvarint(nil, uint64(d.Group))
	b = appendText(b, d.ID)
	b = binary.AppendUvarint(b, uint64(d.Bag.Length))
	b = binary.AppendUvarint(b, uint64(len(d.Bag.Terms)))
	for _, t := range d.Bag.Terms {
		b = binary.AppendUvarint(appendText(b, t.Term), uint64(t.N))
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errRecord = errors.New("record: not well formed")

// fields reads numbers and texts one after the other.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) number() uint64 {
	v, w := binary.Uvarint(f.rest)
	if w <= 0 {
		f.err = errRecord
		f.rest = nil
		return 0
	}
	f.rest = f.rest[w:]
	return v
}

func (f *fields) text() []byte {
	n := f.number()
	if n > uint64(len(f.rest)) {
		f.err = errRecord
		f.rest = nil
		return nil
	}
	s := f.rest[:n]
	f.rest = f.rest[n:]
	return s
}

// readRecord reads a text that waits.
func readRecord(num uint32, b []byte) (Doc, error) {
	f := &fields{rest: b}
	d := Doc{Num: num, Group: uint32(f.number()), ID: string(f.text())}
	d.Bag.Length = uint32(f.number())
	n := f.number()
	if n > uint64(len(b)) {
		return d, errRecord
	}
	d.Bag.Terms = make([]Count, n)
	for i := range d.Bag.Terms {
		d.Bag.Terms[i] = Count{string(f.text()), uint32(f.number())}
	}
	return d, f.err
}

// waiting hands over the texts that wait, in their order.
func (x Index) waiting(tx kv.Tx, use func(Doc) error) error {
	prefix := x.key("sq")
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		b, err := item.Value()
		if err != nil {
			return err
		}
		d, err := readRecord(binary.BigEndian.Uint32(item.Key[len(prefix):]), b)
		if err != nil {
			return x.corrupt("", err)
		}
		if err := use(d); err != nil {
			return err
		}
	}
	return nil
}
