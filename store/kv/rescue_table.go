package kv

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// tableRescue is the rescue of one table.
type tableRescue struct {
	*rescue
	tableInfo
	path string
	data []byte

	last    []byte            // the greatest key so far
	got     map[string]uint32 // checksums of the records that were read, by key
	guesses []tableEntry      // entries that may be wrong

	// From the key file, which is read at the first use.
	keysRead bool
	keys     map[string]keyClaim
	whole    bool // all keys of the table
}

// claims returns the entries of the table's key file, and whether they are all.
func (t *tableRescue) claims() (keys map[string]keyClaim, whole bool) {
	if !t.keysRead {
		t.keys, t.whole = t.readTableKeys(t.tableInfo)
		t.keysRead = true
	}
	return t.keys, t.whole
}

// value returns the value of an entry if it is certain, from a block whose
// checksum is right if sound is set. In other blocks the checksum of the record in the
// key file must be right.
func (t *tableRescue) value(e tableEntry, sound bool) (value []byte, certain bool) {
	switch {
	case e.deleted:
		return nil, false
	case sound:
		return e.value, true
	}
	keys, _ := t.claims()
	c, ok := keys[string(e.key)]
	return e.value, ok && !c.deleted && c.sum == sum(e.key, e.value)
}

func (t *tableRescue) read() error {
	blocks, indexed := t.blocks()
	t.got = map[string]uint32{}
	var holes [][2][]byte // the keys around damaged blocks
	open := false
	for _, s := range blocks {
		entries := entriesOf(t.data, s)
		if s.sound && (indexed || t.follows(entries)) {
			if open {
				holes[len(holes)-1][1] = entries[0].key
			}
			open = false
			if err := t.take(entries, true); err != nil {
				return err
			}
			continue
		}
		if !open {
			holes = append(holes, [2][]byte{t.last, nil})
		}
		open = true
		if err := t.take(entries, false); err != nil {
			return err
		}
	}
	if len(holes) == 0 && !indexed && !(t.high != nil && bytes.Equal(t.last, t.high)) {
		holes = append(holes, [2][]byte{t.last, t.high})
	}
	if len(holes) == 0 && len(t.guesses) == 0 {
		return nil
	}
	return t.name(holes)
}

// blocks finds the blocks of a table, by its index if it is intact.
func (t *tableRescue) blocks() (blocks []span, indexed bool) {
	tail := len(t.data)
	if t.size > 0 {
		tail = min(int(t.tail), tail)
		switch size := int64(len(t.data)); {
		case size > t.size:
			t.found(t.path, TooLong, size-t.size)
			t.data = t.data[:t.size]
		case size < t.size:
			t.found(t.path, CutOffOf, size, t.size)
		}
	}
	end := t.data[tail:]
	if t.size == 0 {
		if at, err := tailOf(t.data); err == nil {
			tail, end = int(at), t.data[at:]
		}
	}
	if t.size == 0 && soundIndex(end) == nil || t.size > 0 && int64(len(t.data)) == t.size && sum(end) == t.sum {
		if blocks, err := indexedBlocks(t.data[:tail], end); err == nil {
			return blocks, true
		}
	}
	if int64(len(t.data)) >= t.size {
		t.found(t.path, DamagedIndex)
	}
	return scanBlocks(t.data[:tail], scanBudget), false
}

// follows reports whether the entries of a block that a scan found can be the next
// ones of the table: a value may look like a block.
func (t *tableRescue) follows(entries []tableEntry) bool {
	if len(entries) == 0 {
		return false
	}
	first, last := entries[0].key, entries[len(entries)-1].key
	return (t.last == nil || bytes.Compare(first, t.last) > 0) && (t.high == nil || bytes.Compare(last, t.high) <= 0)
}

// take copies the certain entries of a block to the new store.
func (t *tableRescue) take(entries []tableEntry, sound bool) error {
	for _, e := range entries {
		if sound {
			t.last = e.key
		}
		if e.deleted && sound {
			t.got[string(e.key)] = 0
			if err := t.put(opDelete, e.key, nil); err != nil {
				return err
			}
			continue
		}
		value, certain := t.value(e, sound)
		if !certain {
			t.guesses = append(t.guesses, e)
			continue
		}
		t.got[string(e.key)] = sum(e.key, value)
		if err := t.put(opPut, e.key, bytes.Clone(value)); err != nil {
			return err
		}
	}
	return nil
}

// name records the keys in the table's holes, each a range between two keys that
// were read.
func (t *tableRescue) name(holes [][2][]byte) error {
	keys, whole := t.claims()
	for key, sum := range t.got {
		if c, ok := keys[key]; whole && (!ok || !c.deleted && c.sum != sum) {
			keys, whole = nil, false // the key file of another table
		}
	}
	missing := 0
	for key, c := range keys {
		if _, ok := t.got[key]; ok {
			continue
		}
		missing++
		if err := t.missed([]byte(key), doubt{c, true}); err != nil {
			return err
		}
	}
	code := DamagedBetween
	if whole && missing == 0 {
		code = DamagedBetweenRead
	}
	for _, h := range holes {
		t.found(t.path, code, h[0], h[1])
	}
	if whole {
		return nil
	}
	t.Unnamed += len(holes)
	for _, e := range t.guesses {
		if _, ok := keys[string(e.key)]; !ok {
			if err := t.missed(e.key, doubt{keyClaim{deleted: e.deleted}, false}); err != nil {
				return err
			}
		}
	}
	return nil
}

// soundIndex verifies the checksum of a table's index. Badger ends the process
// over a damaged one.
func soundIndex(tail []byte) error {
	end := len(tail) - 4
	if end < 0 {
		return errors.New("no index")
	}
	at := end - int(binary.BigEndian.Uint32(tail[end:]))
	if at < 4 || at > end {
		return errors.New("no index")
	}
	var c pb.Checksum
	if err := proto.Unmarshal(tail[at:end], &c); err != nil {
		return err
	}
	return y.VerifyChecksum(tail[:at-4], &c)
}
