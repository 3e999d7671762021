package kv

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"runtime/debug"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/y"
)

// # Lookups
//
// A lookup finds one key in the mapped file of a table. Badger's reader is made for
// iterations: it reads two blocks and the index twice when it opens a table, and keeps a
// dozen values for each iteration. A search of memories looks up hundreds of keys in a
// process of its own, so that this took a third of its time. Both readers make the same
// checks (tables.go).

// tableIndex is the index of a mapped table.
type tableIndex struct {
	blocks *fb.TableIndex
	count  int      // of the blocks
	filter y.Filter // bloom filter of the keys; empty without one

	// latest is the block of the latest lookup. The next key is often in the one behind.
	latest atomic.Int32
}

// readIndex reads the index of a table, which has been checked against the manifest. data
// is the file from the index on.
func readIndex(data []byte) *tableIndex {
	root := fb.GetRootAsTableIndex(data, 0)
	return &tableIndex{blocks: root, count: root.OffsetsLength(), filter: root.BloomFilterBytes()}
}

// first returns the first key of a block, with its version, and the block's place.
func (x *tableIndex) first(n int) (key []byte, o fb.BlockOffset, ok bool) {
	ok = x.blocks.Offsets(&o, n)
	if key = o.KeyBytes(); len(key) < versionLen {
		return nil, o, false
	}
	return key[:len(key)-versionLen], o, ok
}

// holding returns the place of the block that has a key if the table has it. ok is false
// if the key is before all others or the index is damaged.
func (x *tableIndex) holding(key []byte) (o fb.BlockOffset, ok bool) {
	low, high := 0, x.count // the first key of low is not above key, that of high is
	if next := int(x.latest.Load()) + 1; next < high {
		if first, _, ok := x.first(next); ok && bytes.Compare(first, key) <= 0 {
			low = next
		}
	}
	for probe := low + 1; low+1 < high; probe = (low + high) / 2 {
		first, _, ok := x.first(probe)
		if !ok {
			return o, false
		}
		if bytes.Compare(first, key) <= 0 {
			low = probe
		} else {
			high = probe
		}
	}
	x.latest.Store(int32(low))
	first, o, ok := x.first(low)
	return o, ok && bytes.Compare(first, key) <= 0
}

// find looks a key up in a table. The value lies in the mapped file. found is false if
// the table has no entry for the key. The caller has set debug.SetPanicOnFault.
func (t *tables) find(f *tableFile, key []byte, hash uint32) (value []byte, deleted, found bool, err error) {
	path := func() string { return filepath.Join(t.path, f.name()) }
	defer func() {
		if r := recover(); r != nil {
			err = corrupt(path(), OtherDamage, r)
		}
	}()
	x, err := t.index(f)
	if err != nil || len(x.filter) > 0 && !x.filter.MayContain(hash) {
		return nil, false, false, err
	}
	o, ok := x.holding(key)
	if !ok {
		return nil, false, false, nil
	}
	start, end := int(o.Offset()), int(o.Offset())+int(o.Len())
	b, ok := soundBlock(f.mapped.Data[start:end])
	if !ok {
		return nil, false, false, corrupt(path(), DamagedBlock)
	}
	entry, ok := b.find(key)
	if !ok {
		return nil, false, false, nil
	}
	var v y.ValueStruct
	v.Decode(entry)
	return v.Value, v.Meta&bitDelete != 0, true, nil
}

// tableBlock is a block of a table (blocks.go).
type tableBlock struct {
	entries []byte
	offsets []byte // of the entries, 4 bytes each
	base    []byte // first key
}

// soundBlock takes a block apart. ok is false if its checksum is wrong.
func soundBlock(data []byte) (b tableBlock, ok bool) {
	end, ok := readBlockTrailer(data, len(data))
	if !ok || sum(data[:end.summed]) != end.sum {
		return b, false
	}
	b = tableBlock{entries: data[:end.entries], offsets: data[end.entries : end.summed-4]}
	b.base = b.key(0)
	return b, true
}

// entry returns the n-th entry, without those behind it.
func (b *tableBlock) entry(n int) []byte {
	end := len(b.entries)
	if next := (n + 1) * 4; next < len(b.offsets) {
		end = int(binary.LittleEndian.Uint32(b.offsets[next:]))
	}
	return b.entries[binary.LittleEndian.Uint32(b.offsets[n*4:]):end]
}

// key returns what the n-th entry has of its key.
func (b *tableBlock) key(n int) []byte {
	e := b.entry(n)
	return e[entryHeader : entryHeader+int(binary.LittleEndian.Uint16(e[2:]))]
}

// compare compares the key of the n-th entry, without its version, with a key: a table has
// each key once.
func (b *tableBlock) compare(n int, key []byte) int {
	shared, own := b.base[:binary.LittleEndian.Uint16(b.entry(n))], b.key(n)
	if cut := len(own) - versionLen; cut >= 0 {
		own = own[:cut]
	} else {
		shared, own = shared[:len(shared)+cut], nil
	}
	n = min(len(shared), len(key))
	if d := bytes.Compare(shared, key[:n]); d != 0 {
		return d
	}
	return bytes.Compare(own, key[n:])
}

// find returns the entry of a key, without its key.
func (b *tableBlock) find(key []byte) (rest []byte, ok bool) {
	n, ok := sort.Find(len(b.offsets)/4, func(i int) int { return -b.compare(i, key) })
	if !ok {
		return nil, false
	}
	e := b.entry(n)
	return e[entryHeader+int(binary.LittleEndian.Uint16(e[2:])):], true
}

// get returns the value under key, or ErrNotFound. With peek the value may lie in a
// mapped file.
func (t *tables) get(key []byte, peek bool) (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	hash := y.Hash(key)
	for _, r := range t.runs {
		n := r.holding(key)
		if n == len(r) || bytes.Compare(r[n].low, key) > 0 {
			continue
		}
		deleted, found := false, false
		if t.sealed || r[n].version == 0 {
			value, deleted, found, err = t.lookup(r[n], key)
		} else if value, deleted, found, err = t.find(r[n], key, hash); !peek && found && err == nil {
			value, err = t.copied(r[n], value)
		}
		switch {
		case err != nil:
			return nil, err
		case found && deleted:
			return nil, ErrNotFound
		case found:
			return value, nil
		}
	}
	return nil, ErrNotFound
}

// copied returns a copy of a value in a mapped file, which may be gone later.
func (t *tables) copied(f *tableFile, value []byte) (own []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = corrupt(filepath.Join(t.path, f.name()), OtherDamage, r)
		}
	}()
	return append([]byte{}, value...), nil
}

// mapping returns the path of the table whose mapped file has an address, or "".
func (t *tables) mapping(address uintptr) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		for _, f := range r {
			if f.mapped == nil || len(f.mapped.Data) == 0 {
				continue
			}
			first := uintptr(unsafe.Pointer(unsafe.SliceData(f.mapped.Data)))
			if address >= first && address-first < uintptr(len(f.mapped.Data)) {
				return filepath.Join(t.path, f.name())
			}
		}
	}
	return ""
}
