package kv

import (
	"bytes"
	"iter"

	"github.com/tidwall/btree"
)

// Reads go through layers: a transaction's own writes, then the memtable, then the
// sorted runs of tables. An entry hides the entries for its key in the layers
// below.

// entry is a value in the memtable or the tombstone of a deleted key.
type entry struct {
	value   []byte
	deleted bool
}

// memtable is a sorted map of entries.
type memtable struct {
	keys  btree.Map[string, entry]
	bytes int // approximate size of keys and values; replaced values still count
}

func (t *memtable) apply(op byte, key, value []byte) {
	t.bytes += len(key) + len(value)
	t.keys.Set(string(key), entry{value, op == opDelete})
}

// iterator iterates over a layer in one direction.
type iterator interface {
	valid() bool
	key() []byte
	deleted() bool
	valueSource
	next()
	err() error // why it is no longer valid; nil at the end of the layer
	close()
}

// memtableIterator iterates over a memtable.
type memtableIterator struct {
	it   btree.MapIter[string, entry]
	back bool
	ok   bool
	now  []byte // the key
}

func (t *memtable) iterator(start []byte, back bool) *memtableIterator {
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

func (c *memtableIterator) valid() bool            { return c.ok }
func (c *memtableIterator) key() []byte            { return c.now }
func (c *memtableIterator) deleted() bool          { return c.it.Value().deleted }
func (c *memtableIterator) value() ([]byte, error) { return c.it.Value().value, nil }
func (c *memtableIterator) peek() ([]byte, error)  { return c.value() }
func (c *memtableIterator) err() error             { return nil }
func (c *memtableIterator) close()                 {}
func (c *memtableIterator) next() {
	if c.back {
		c.ok = c.it.Prev()
	} else {
		c.ok = c.it.Next()
	}
	c.look()
}

// firstKey returns the key where a scan of r starts. A backward scan starts at the last
// key not above it; nil means the last key.
func firstKey(r Range) (start []byte) {
	start = r.From
	if !r.Reverse && bytes.Compare(start, r.Prefix) < 0 {
		start = r.Prefix
	}
	if r.Reverse {
		if top := successor(r.Prefix); start == nil || (top != nil && bytes.Compare(start, top) > 0) {
			start = top
		}
	}
	return start
}

// successor returns the first key above all keys with a prefix, or nil when no key
// is above them.
func successor(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			s := bytes.Clone(prefix[:i+1])
			s[i]++
			return s
		}
	}
	return nil
}

// merge yields the visible keys of a range. open returns an iterator for each
// layer, the topmost first.
func merge(r Range, open func(start []byte, back bool) ([]iterator, error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		start := firstKey(r)
		iterators, err := open(start, r.Reverse)
		defer closeAll(iterators)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if r.Reverse && start != nil {
			// The successor itself, and so every key at it, lies outside.
			for _, c := range iterators {
				for c.valid() && !bytes.HasPrefix(c.key(), r.Prefix) && bytes.Compare(c.key(), r.Prefix) > 0 {
					c.next()
				}
			}
		}
		left := r.Limit
		inRange := func(key []byte) bool {
			return bytes.HasPrefix(key, r.Prefix) && (r.To == nil || !r.Ends(key))
		}
		for top, err := range mergeIterators(iterators, r.Reverse, inRange) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if top.deleted() {
				continue
			}
			if !yield(Item{Key: top.at, source: top.values}, nil) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

func closeAll(iterators []iterator) {
	for _, c := range iterators {
		c.close()
	}
}

// mergeIterators yields, for each key, the topmost layer that has the key, also when
// that entry is a tombstone. An iterator that reaches a key outside of within is done;
// nil means that no key is outside.
func mergeIterators(iterators []iterator, back bool, within func(key []byte) bool) iter.Seq2[*source, error] {
	return func(yield func(*source, error) bool) {
		m := merged{back: back, within: within}
		for i, c := range iterators {
			if err := m.insert(source{iterator: c, values: c, layer: i}); err != nil {
				yield(nil, err)
				return
			}
		}
		for len(m.sources) > 0 {
			if !yield(&m.sources[0], nil) {
				return
			}
			if err := m.next(); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// source is an iterator in a merge, and its current key.
type source struct {
	iterator
	values valueSource // the iterator; converting it for each key takes time
	at     []byte
	layer  int // 0 is the topmost
}

// merged has the iterators of a merge, sorted by their keys, of equal keys the topmost
// first. So a step compares few keys, however many layers there are.
type merged struct {
	back    bool
	within  func(key []byte) bool
	sources []source
}

// before reports whether a source comes before another one.
func (m *merged) before(a, b *source) bool {
	d := bytes.Compare(a.at, b.at)
	if d == 0 {
		return a.layer < b.layer
	}
	return d < 0 != m.back
}

// insert adds a source at its place, unless it is done.
func (m *merged) insert(s source) error {
	if !s.valid() {
		return s.err()
	}
	if s.at = s.key(); m.within != nil && !m.within(s.at) {
		return s.err()
	}
	m.sources = append(m.sources, s)
	for j := len(m.sources) - 1; j > 0 && m.before(&s, &m.sources[j-1]); j-- {
		m.sources[j], m.sources[j-1] = m.sources[j-1], s
	}
	return nil
}

// next moves all sources at the first key to their next ones.
func (m *merged) next() error {
	same := 1
	for same < len(m.sources) && bytes.Equal(m.sources[same].at, m.sources[0].at) {
		same++
	}
	for i := same - 1; i >= 0; i-- {
		if err := m.advance(i); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the source at i to its next key. Those behind it have later keys.
func (m *merged) advance(i int) error {
	s := &m.sources[i]
	s.next()
	if s.valid() {
		s.at = s.key()
	}
	if !s.valid() || m.within != nil && !m.within(s.at) {
		err := s.err()
		m.sources = append(m.sources[:i], m.sources[i+1:]...)
		return err
	}
	for ; i+1 < len(m.sources) && m.before(&m.sources[i+1], &m.sources[i]); i++ {
		m.sources[i], m.sources[i+1] = m.sources[i+1], m.sources[i]
	}
	return nil
}
