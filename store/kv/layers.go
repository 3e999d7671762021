package kv

import (
	"bytes"
	"iter"

	"github.com/tidwall/btree"
)

// A layer lies over another and hides what that one has under the same keys:
// a transaction's own writes over the journal's, and those over the tables.

// entry is a value in a layer of memory, or the mark that a key was deleted.
type entry struct {
	value   []byte
	deleted bool
}

// tree is a layer in memory.
type tree struct {
	keys  btree.Map[string, entry]
	bytes int // of keys and values, roughly: a value that was replaced still counts
}

func (t *tree) apply(op byte, key, value []byte) {
	t.bytes += len(key) + len(value)
	t.keys.Set(string(key), entry{value, op == opDelete})
}

// cursor walks a layer in one direction.
type cursor interface {
	valid() bool
	key() []byte
	deleted() bool
	value() ([]byte, error)
	next()
	err() error // why it is no longer valid, nil at the end of the layer
	close()
}

// treeCursor walks a tree.
type treeCursor struct {
	it   btree.MapIter[string, entry]
	back bool
	ok   bool
	now  []byte // the key
}

func (t *tree) cursor(start []byte, back bool) *treeCursor {
	c := &treeCursor{it: t.keys.Iter(), back: back}
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

func (c *treeCursor) look() {
	if c.ok {
		c.now = []byte(c.it.Key())
	}
}

func (c *treeCursor) valid() bool            { return c.ok }
func (c *treeCursor) key() []byte            { return c.now }
func (c *treeCursor) deleted() bool          { return c.it.Value().deleted }
func (c *treeCursor) value() ([]byte, error) { return c.it.Value().value, nil }
func (c *treeCursor) err() error             { return nil }
func (c *treeCursor) close()                 {}
func (c *treeCursor) next() {
	if c.back {
		c.ok = c.it.Prev()
	} else {
		c.ok = c.it.Next()
	}
	c.look()
}

// bounds returns where a scan of r starts, and whether a key is still in it.
// A backward scan starts at the last key not above start; nil is the very end.
func bounds(r Range) (start []byte, within func(key []byte) bool) {
	start = r.From
	if !r.Reverse && bytes.Compare(start, r.Prefix) < 0 {
		start = r.Prefix
	}
	if r.Reverse {
		if top := successor(r.Prefix); start == nil || (top != nil && bytes.Compare(start, top) > 0) {
			start = top
		}
	}
	return start, func(key []byte) bool { return bytes.HasPrefix(key, r.Prefix) }
}

// successor returns the first key above all that begin with prefix, nil when
// there is none.
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

// merge yields the keys of a range as they are seen through all layers; open
// opens the cursors, the uppermost layer first.
func merge(r Range, open func(start []byte, back bool) ([]cursor, error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		start, within := bounds(r)
		cursors, err := open(start, r.Reverse)
		defer closeAll(cursors)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if r.Reverse && start != nil {
			// The successor itself, and so every key at it, lies outside.
			for _, c := range cursors {
				for c.valid() && !within(c.key()) && bytes.Compare(c.key(), r.Prefix) > 0 {
					c.next()
				}
			}
		}
		for top, err := range seen(cursors, r.Reverse) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			key := top.key()
			if !within(key) {
				return
			}
			if !top.deleted() && !yield(Item{Key: key, value: top.value}, nil) {
				return
			}
		}
	}
}

func closeAll(cursors []cursor) {
	for _, c := range cursors {
		c.close()
	}
}

// seen yields, for each key that any cursor comes to, the uppermost cursor
// that stands at it, also where that one has it as deleted.
func seen(cursors []cursor, back bool) iter.Seq2[cursor, error] {
	return func(yield func(cursor, error) bool) {
		var key []byte
		for {
			for _, c := range cursors {
				if err := c.err(); err != nil {
					yield(nil, err)
					return
				}
			}
			top := first(cursors, back)
			if top == nil {
				return
			}
			key = append(key[:0], top.key()...)
			if !yield(top, nil) {
				return
			}
			for _, c := range cursors {
				if c.valid() && bytes.Equal(c.key(), key) {
					c.next()
				}
			}
		}
	}
}

// first returns the cursor whose key comes next, of equals the uppermost.
func first(cursors []cursor, back bool) cursor {
	var top cursor
	for _, c := range cursors {
		if !c.valid() {
			continue
		}
		if top == nil {
			top = c
			continue
		}
		if d := bytes.Compare(c.key(), top.key()); d < 0 && !back || d > 0 && back {
			top = c
		}
	}
	return top
}
