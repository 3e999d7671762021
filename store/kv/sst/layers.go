package sst

import (
	"bytes"
	"iter"

	"techo/store/kv"
)

// Iterator iterates over a layer in one direction.
type Iterator interface {
	Valid() bool
	Key() []byte
	Deleted() bool
	kv.Source
	Next()
	Err() error // why it is no longer valid; nil at the end of the layer
	Close()
}

func CloseAll(iterators []Iterator) {
	for _, c := range iterators {
		c.Close()
	}
}

// MergeIterators yields, for each key, the topmost layer that has the key, also when
// that entry is a tombstone. An iterator that reaches a key outside of within is done;
// nil means that no key is outside.
func MergeIterators(iterators []Iterator, back bool, within func(key []byte) bool) iter.Seq2[*source, error] {
	return func(yield func(*source, error) bool) {
		m := merged{back: back, within: within}
		for i, c := range iterators {
			if err := m.insert(source{Iterator: c, Values: c, layer: i}); err != nil {
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
	Iterator
	Values kv.Source // the iterator; converting it for each key takes time
	At     []byte
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
	d := bytes.Compare(a.At, b.At)
	if d == 0 {
		return a.layer < b.layer
	}
	return d < 0 != m.back
}

// insert adds a source at its place, unless it is done.
func (m *merged) insert(s source) error {
	if !s.Valid() {
		return s.Err()
	}
	if s.At = s.Key(); m.within != nil && !m.within(s.At) {
		return s.Err()
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
	for same < len(m.sources) && bytes.Equal(m.sources[same].At, m.sources[0].At) {
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
	s.Next()
	if s.Valid() {
		s.At = s.Key()
	}
	if !s.Valid() || m.within != nil && !m.within(s.At) {
		err := s.Err()
		m.sources = append(m.sources[:i], m.sources[i+1:]...)
		return err
	}
	for ; i+1 < len(m.sources) && m.before(&m.sources[i+1], &m.sources[i]); i++ {
		m.sources[i], m.sources[i+1] = m.sources[i+1], m.sources[i]
	}
	return nil
}
