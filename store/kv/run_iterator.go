package kv

import (
	"bytes"
	"math"
	"path/filepath"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// runIterator iterates over a run, opening one table after the other.
type runIterator struct {
	t    *tables
	run  run
	back bool

	at  int // of run
	it  *table.Iterator
	ok  bool
	bad error

	from []byte // the key before a move
}

// iterator returns an iterator at the first key in its direction that is not
// before start; nil means the very first.
func (t *tables) iterator(r run, start []byte, back bool) *runIterator {
	c := &runIterator{t: t, run: r, back: back}
	c.guard(func() error { return c.seek(start) })
	return c
}

// lookup is find for a table whose entries have unknown versions, of a former format.
func (t *tables) lookup(f *tableFile, key []byte) (value []byte, deleted, found bool, err error) {
	c := t.iterator(run{f}, key, false)
	defer c.close()
	if !c.valid() || !bytes.Equal(c.key(), key) {
		return nil, false, false, c.err()
	}
	if c.deleted() {
		return nil, true, true, nil
	}
	value, err = c.value()
	return value, false, true, err
}

func (c *runIterator) valid() bool     { return c.ok && c.bad == nil }
func (c *runIterator) err() error      { return c.bad }
func (c *runIterator) key() []byte     { return y.ParseKey(c.it.Key()) }
func (c *runIterator) version() uint64 { return y.ParseTs(c.it.Key()) }
func (c *runIterator) deleted() bool   { return c.it.Value().Meta&bitDelete != 0 }

func (c *runIterator) value() (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer c.recovered(&err)
	if value, err = c.peek(); err != nil {
		return nil, err
	}
	return append([]byte{}, value...), nil // the mapped file may be gone later
}

// peek returns the value in the mapped file.
func (c *runIterator) peek() (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer c.recovered(&err)
	value = c.it.Value().Value
	if c.t.sealed {
		var ok bool
		if value, ok = unsealValue(c.key(), value); !ok {
			return nil, c.rotten(WrongRecordSum, c.key())
		}
	}
	return value, nil
}

func (c *runIterator) close() {
	if c.it != nil {
		_ = c.it.Close()
		c.it = nil
	}
	c.ok = false
}

// recovered is recovered for the current table.
func (c *runIterator) recovered(err *error) {
	if r := recover(); r != nil {
		*err = c.rotten(OtherDamage, r)
	}
}

func (c *runIterator) path() string { return filepath.Join(c.t.path, c.run[c.at].name()) }

func (c *runIterator) rotten(code ReasonCode, args ...any) error {
	return corrupt(c.path(), code, args...)
}

// guard runs one move. An error ends the iteration.
func (c *runIterator) guard(move func() error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(c.t.path, &c.bad)
	c.bad = move()
}

func (c *runIterator) seek(start []byte) error {
	c.at = 0
	switch {
	case start == nil && c.back:
		c.at = len(c.run) - 1
	case start != nil:
		c.at = c.run.holding(start)
		if c.back && (c.at == len(c.run) || bytes.Compare(c.run[c.at].low, start) > 0) {
			c.at--
		}
	}
	if c.at < 0 || c.at == len(c.run) {
		return nil // no key in the direction
	}
	if err := c.open(); err != nil {
		return err
	}
	switch {
	case start == nil:
		c.it.Rewind()
	case c.back:
		c.it.Seek(y.KeyWithTs(start, 0))
	default:
		c.it.Seek(y.KeyWithTs(start, math.MaxUint64)) // versions are sorted in descending order
	}
	return c.arrive(nil) // the table has such a key
}

func (c *runIterator) open() error {
	c.close()
	o, err := c.t.table(c.run[c.at])
	if err != nil {
		return err
	}
	opt := 0
	if c.back {
		opt = table.REVERSED
	}
	c.it = o.NewIterator(opt)
	return nil
}

// next moves to the next key. It does what guard does, without a function value: a scan
// makes thousands of moves.
func (c *runIterator) next() {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(c.t.path, &c.bad)
	c.from = append(c.from[:0], c.key()...)
	c.it.Next()
	c.bad = c.arrive(c.from)
}

// arrive handles the end of a move from a key: it stands at the next key, or after
// the last one of a table, which leads to the next table, or met a damaged block.
// from is nil for a move that must find a key in this table.
func (c *runIterator) arrive(from []byte) error {
	if c.ok = c.it.Valid(); c.ok {
		return nil
	}
	f := c.run[c.at]
	ended := from != nil && (!c.back && bytes.Compare(from, f.high) >= 0 || c.back && bytes.Compare(from, f.low) <= 0)
	if !ended {
		return c.rotten(DamagedBlock)
	}
	next := c.at + 1
	if c.back {
		next = c.at - 1
	}
	if next < 0 || next == len(c.run) {
		c.close()
		return nil
	}
	c.at = next
	if err := c.open(); err != nil {
		return err
	}
	c.it.Rewind()
	return c.arrive(nil)
}
