package folder

import (
	"bytes"
	"iter"

	"github.com/tidwall/btree"

	"techo/store/kv"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// Reads go through layers: a transaction's own writes, then the memtable, then the
// sorted runs of tables. An entry hides the entries for its key in the layers
// below.

// entry is a value in the memtable or the tombstone of a deleted key.
type entry struct {
	value   []byte
	deleted bool
}

// get returns the value, or fault.ErrNotFound.
func (e entry) get() ([]byte, error) {
	if e.deleted {
		return nil, kv.ErrNotFound
	}
	return e.value, nil
}

// memtable is a sorted map of entries.
type memtable struct {
	keys  btree.Map[string, entry]
	bytes int // approximate size of keys and values; replaced values still count
}

func (t *memtable) apply(op byte, key, value []byte) {
	t.bytes += len(key) + len(value)
	t.keys.Set(string(key), entry{value, op == journal.OpDelete})
}

// copy returns a copy, which shares what neither side changes later.
func (t *memtable) copy() memtable { return memtable{*t.keys.Copy(), t.bytes} }

type memtableIterator struct {
	it   btree.MapIter[string, entry]
	back bool
	ok   bool
	now  []byte // the key
}

func (t *memtable) Size() int64 { return int64(t.bytes) }

func (t *memtable) Iterator(start []byte, back bool) sst.Iterator {
	c := &memtableIterator{it: t.keys.Iter(), back: back}
	switch {
	case !back:
		c.ok = c.it.Seek(string(start))
	case start == nil:
		c.ok = c.it.Last()
	default:
		c.ok = c.it.Seek(string(start))
		if !c.ok {
			c.ok = c.it.Last()
		} else if c.it.Key() != string(start) {
			c.ok = c.it.Prev()
		}
	}
	c.look()
	return c
}

func (c *memtableIterator) look() {
	if c.ok {
		c.now = []byte(c.it.Key())
	}
}

func (c *memtableIterator) Valid() bool            { return c.ok }
func (c *memtableIterator) Key() []byte            { return c.now }
func (c *memtableIterator) Deleted() bool          { return c.it.Value().deleted }
func (c *memtableIterator) Value() ([]byte, error) { return c.it.Value().value, nil }
func (c *memtableIterator) Peek() ([]byte, error)  { return c.Value() }
func (c *memtableIterator) Err() error             { return nil }
func (c *memtableIterator) Close()                 {}
func (c *memtableIterator) Next() {
	if c.back {
		c.ok = c.it.Prev()
	} else {
		c.ok = c.it.Next()
	}
	c.look()
}

// firstKey returns the key where a scan of r starts. A backward scan starts at the last
// key not above it; nil means the last key.
func firstKey(r kv.Range) (start []byte) {
	start = r.From
	if !r.Reverse && bytes.Compare(start, r.Prefix) < 0 {
		start = r.Prefix
	}
	if r.Reverse {
		if top := kv.Successor(r.Prefix); start == nil || (top != nil && bytes.Compare(start, top) > 0) {
			start = top
		}
	}
	return start
}

// merge yields the visible keys of a range. open returns an iterator for each
// layer, the topmost first.
func merge(r kv.Range, open func(start []byte, back bool) ([]sst.Iterator, error)) iter.Seq2[kv.Item, error] {
	return func(yield func(kv.Item, error) bool) {
		start := firstKey(r)
		iterators, err := open(start, r.Reverse)
		defer sst.CloseAll(iterators)
		if err != nil {
			yield(kv.Item{}, err)
			return
		}
		if r.Reverse && start != nil {
			// The successor itself, and so every key at it, lies outside.
			for _, c := range iterators {
				for c.Valid() && !bytes.HasPrefix(c.Key(), r.Prefix) && bytes.Compare(c.Key(), r.Prefix) > 0 {
					c.Next()
				}
			}
		}
		left := r.Limit
		inRange := func(key []byte) bool {
			return bytes.HasPrefix(key, r.Prefix) && (r.To == nil || !r.Ends(key))
		}
		for top, err := range sst.MergeIterators(iterators, r.Reverse, inRange) {
			if err != nil {
				yield(kv.Item{}, err)
				return
			}
			if top.Deleted() {
				continue
			}
			if !yield(kv.Item{Key: top.At, Source: top.Values}, nil) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}
