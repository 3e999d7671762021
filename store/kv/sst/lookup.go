package sst

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"runtime/debug"
	"sort"
	"unsafe"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/y"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// # Lookups
//
// A lookup finds one key in the mapped file of a table. Badger's reader is made for
// processes that stay: it reads two blocks and the index twice when it opens a table, and
// keeps a dozen values for each iteration. A search of memories looks up hundreds of keys
// in a process of its own, so that this took a third of its time.

type tableIndex struct {
	blocks *fb.TableIndex
	count  int      // of the blocks
	filter y.Filter // bloom filter of the keys; empty without one
}

// readIndex reads the index of a table. data is the file from the index on. ok is false if
// the index is so damaged that it cannot be read; less damage may panic when it is used.
func readIndex(data []byte) (x *tableIndex, ok bool) {
	defer func() { ok = recover() == nil }()
	root := fb.GetRootAsTableIndex(data, 0)
	return &tableIndex{blocks: root, count: root.OffsetsLength(), filter: root.BloomFilterBytes()}, true
}

// first returns the first key of a block.
func (x *tableIndex) first(n int) []byte {
	var o fb.BlockOffset
	x.blocks.Offsets(&o, n)
	return y.ParseKey(o.KeyBytes())
}

// offset returns the place of a block in a mapped table.
func (f *tableFile) offset(n int) int {
	var o fb.BlockOffset
	f.indexed.blocks.Offsets(&o, n)
	return int(o.Offset())
}

// block returns a block of a mapped table. ok is false if its checksum is wrong.
func (f *tableFile) block(n int) (b tableBlock, ok bool) {
	var o fb.BlockOffset
	f.indexed.blocks.Offsets(&o, n)
	return soundBlock(f.bytes(int(o.Offset()), int(o.Len())))
}

// stretch is the number of bytes that a page fault maps on Linux: 16 pages.
const stretch = 64 << 10

// bytes returns bytes of a mapped table, and notes that their stretch is in memory.
func (f *tableFile) bytes(at, length int) []byte {
	if !f.visited[at/stretch].Swap(true) {
		f.resident.Add(1 + int64(length/stretch))
	}
	return f.mapped.Data[at:][:length]
}

// countIndex notes that the index is read in the mapping. In a large store the indexes take more memory than the blocks
// that a transaction reads.
func (f *tableFile) countIndex() {
	if !f.indexRead.Load() && !f.indexRead.Swap(true) {
		f.resident.Add(1 + (f.Size-f.Tail)/stretch)
	}
}

// mostResident is the number of stretches that lookups may have in memory: a long transaction looks into
// every part of a large store.
const mostResident = 16 << 20 / stretch

// limitResident drops the pages of all mappings if lookups have read many.
func (t *Tables) limitResident() {
	if t.resident.Load() < mostResident {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resident.Store(0)
	for _, r := range t.Runs {
		for _, f := range r {
			if f.mapped == nil {
				continue
			}
			disk.DropMapped(f.mapped.Data)
			f.indexRead.Store(false)
			for i := range f.visited {
				f.visited[i].Store(false)
			}
		}
	}
}

// holding returns the number of the block that has a key if the table has it, -1 if the
// key is before all others.
func (x *tableIndex) holding(key []byte) int {
	return sort.Search(x.count, func(n int) bool { return bytes.Compare(x.first(n), key) > 0 }) - 1
}

// find looks a key up in a table. The value lies in the mapped file. found is false if
// the table has no entry for the key. The caller has set debug.SetPanicOnFault.
func (t *Tables) find(f *tableFile, key []byte, hash uint32) (value []byte, deleted, found bool, err error) {
	x, checked, err := t.unchecked(f)
	if err != nil {
		return nil, false, false, err
	}
	value, deleted, found, err = t.findIn(f, x, key, hash)
	if !found && !checked { // a damaged index may have led to a wrong place
		if err := t.index(f); err != nil {
			return nil, false, false, err
		}
	}
	return value, deleted, found, err
}

// findIn is find with an index that may be damaged: what it finds is right.
func (t *Tables) findIn(f *tableFile, x *tableIndex, key []byte, hash uint32) (
	value []byte, deleted, found bool, err error) {
	path := func() string { return filepath.Join(t.Path, f.Name()) }
	defer func() {
		if r := recover(); r != nil {
			value, found, err = nil, false, kv.Corrupt(path(), kv.OtherDamage, r)
		}
	}()
	f.countIndex()
	if len(x.filter) > 0 && !x.filter.MayContain(hash) {
		return nil, false, false, nil
	}
	holding := x.holding(key)
	if holding < 0 {
		return nil, false, false, nil
	}
	b, ok := f.block(holding)
	if !ok {
		return nil, false, false, kv.Corrupt(path(), kv.DamagedBlock)
	}
	n, ok := b.search(key)
	if !ok {
		return nil, false, false, nil
	}
	var v y.ValueStruct
	_, _, rest := b.split(n)
	v.Decode(rest)
	return v.Value, v.Meta&bitDelete != 0, true, nil
}

type tableBlock struct {
	entries []byte
	offsets []byte // of the entries, 4 bytes each
	base    []byte // first key
}

// soundBlock takes a block apart. ok is false if its checksum is wrong.
func soundBlock(data []byte) (b tableBlock, ok bool) {
	end, ok := readBlockTrailer(data, len(data))
	if !ok || disk.Checksum(data[:end.summed]) != end.sum {
		return b, false
	}
	b = tableBlock{entries: data[:end.entries], offsets: data[end.entries : end.summed-4]}
	_, b.base, _ = b.split(0)
	return b, true
}

func (b *tableBlock) count() int { return len(b.offsets) / 4 }

// entry returns the n-th entry, without those behind it.
func (b *tableBlock) entry(n int) []byte {
	end := len(b.entries)
	if next := (n + 1) * 4; next < len(b.offsets) {
		end = int(binary.LittleEndian.Uint32(b.offsets[next:]))
	}
	return b.entries[binary.LittleEndian.Uint32(b.offsets[n*4:]):end]
}

// split returns the parts of the n-th entry: how many bytes its key has from the block's
// first one, the other bytes of its key, with the version, and what follows the key.
func (b *tableBlock) split(n int) (shared int, own, rest []byte) {
	e := b.entry(n)
	end := entryHeader + int(binary.LittleEndian.Uint16(e[2:]))
	return int(binary.LittleEndian.Uint16(e)), e[entryHeader:end], e[end:]
}

// compare compares the key of the n-th entry, without its version, with a key: a table has
// each key once.
func (b *tableBlock) compare(n int, key []byte) int {
	length, own, _ := b.split(n)
	shared := b.base[:length]
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

// search returns the number of the first entry whose key is not below a key, and whether it
// has that key.
func (b *tableBlock) search(key []byte) (n int, found bool) {
	return sort.Find(b.count(), func(i int) int { return -b.compare(i, key) })
}

// Get returns the value under key, or ErrNotFound. With peek the value may lie in a
// mapped file.
func (t *Tables) Get(key []byte, peek bool) (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	t.limitResident()
	hash := y.Hash(key)
	for _, r := range t.Runs {
		n := r.holding(key)
		if n == len(r) || bytes.Compare(r[n].Low, key) > 0 {
			continue
		}
		value, deleted, found, err := t.find(r[n], key, hash)
		switch {
		case err != nil:
			return nil, err
		case found && deleted:
			return nil, kv.ErrNotFound
		case found && peek:
			return value, nil
		case found:
			return t.copied(r[n], value)
		}
	}
	return nil, kv.ErrNotFound
}

// copied returns a copy of a value in a mapped file, which may be gone later.
func (t *Tables) copied(f *tableFile, value []byte) (own []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = kv.Corrupt(filepath.Join(t.Path, f.Name()), kv.OtherDamage, r)
		}
	}()
	return append([]byte{}, value...), nil
}

// Mapping returns the path of the table whose mapped file has an address, or "".
func (t *Tables) Mapping(address uintptr) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.Runs {
		for _, f := range r {
			if f.mapped == nil || len(f.mapped.Data) == 0 {
				continue
			}
			first := uintptr(unsafe.Pointer(unsafe.SliceData(f.mapped.Data)))
			if address >= first && address-first < uintptr(len(f.mapped.Data)) {
				return filepath.Join(t.Path, f.Name())
			}
		}
	}
	return ""
}
