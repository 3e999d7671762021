package kv

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// runCursor walks a run, opening one table after the other.
type runCursor struct {
	t    *tables
	run  run
	back bool

	at  int // of run
	it  *table.Iterator
	ok  bool
	bad error
}

// cursor goes to the first key in its direction that is not before start; nil
// is the very first.
func (t *tables) cursor(r run, start []byte, back bool) *runCursor {
	c := &runCursor{t: t, run: r, back: back}
	c.guard(func() error { return c.seek(start) })
	return c
}

func (c *runCursor) valid() bool   { return c.ok && c.bad == nil }
func (c *runCursor) err() error    { return c.bad }
func (c *runCursor) key() []byte   { return y.ParseKey(c.it.Key()) }
func (c *runCursor) next()         { c.guard(c.step) }
func (c *runCursor) deleted() bool { return c.it.Value().Meta&bitDelete != 0 }

func (c *runCursor) value() (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer c.recovered(&err)
	value, ok := unsealValue(c.key(), c.it.Value().Value)
	if !ok {
		return nil, c.rotten("key %q: wrong checksum", c.key())
	}
	return bytes.Clone(value), nil // what is mapped may be gone when it is looked at
}

func (c *runCursor) close() {
	if c.it != nil {
		_ = c.it.Close()
		c.it = nil
	}
	c.ok = false
}

// recovered is the function recovered for the table at hand, whose name is only
// made when it is needed.
func (c *runCursor) recovered(err *error) {
	if r := recover(); r != nil {
		*err = c.rotten("%v", r)
	}
}

func (c *runCursor) path() string { return filepath.Join(c.t.path, c.run[c.at].name()) }

func (c *runCursor) rotten(format string, args ...any) error {
	return &CorruptError{Path: c.path(), Reason: fmt.Sprintf(format, args...)}
}

// guard runs one move. An error ends the walk.
func (c *runCursor) guard(move func() error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(c.t.path, &c.bad)
	c.bad = move()
}

func (c *runCursor) seek(start []byte) error {
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
		return nil // all lie before
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
		c.it.Seek(y.KeyWithTs(start, math.MaxUint64)) // the newest version comes first
	}
	return c.settle(nil) // the table holds such a key
}

func (c *runCursor) open() error {
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

func (c *runCursor) step() error {
	from := bytes.Clone(c.key())
	c.it.Next()
	return c.settle(from)
}

// settle sees to what a step from a key led to: to the next key, past the
// table's last one and so into the next table, or into a bad block. nil stands
// for a move that has to find a key in this table.
func (c *runCursor) settle(from []byte) error {
	if c.ok = c.it.Valid(); c.ok {
		return nil
	}
	f := c.run[c.at]
	ended := from != nil && (!c.back && bytes.Compare(from, f.high) >= 0 || c.back && bytes.Compare(from, f.low) <= 0)
	if !ended {
		return c.rotten("a block is not as it was written")
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
	return c.settle(nil)
}
