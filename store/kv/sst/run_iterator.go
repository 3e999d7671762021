package sst

import (
	"bytes"
	"path/filepath"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4/y"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// runIterator iterates over a run, opening one table after the other.
type runIterator struct {
	t    *Tables
	run  run
	back bool

	at  int           // of run
	it  tableIterator // of the table at at
	ok  bool
	bad error
}

// Iterators returns an iterator of each run, the newest first, as iterator does.
func (t *Tables) Iterators(start []byte, back bool) (all []Iterator) {
	for _, r := range t.Runs {
		all = append(all, t.iterator(r, start, back))
	}
	return all
}

// iterator returns an iterator at the first key in its direction that is not
// before start; nil means the very first.
func (t *Tables) iterator(r run, start []byte, back bool) *runIterator {
	c := &runIterator{t: t, run: r, back: back}
	c.guard(func() error { return c.seek(start) })
	return c
}

func (c *runIterator) Valid() bool     { return c.ok && c.bad == nil }
func (c *runIterator) Err() error      { return c.bad }
func (c *runIterator) Key() []byte     { return y.ParseKey(c.it.key) }
func (c *runIterator) version() uint64 { return y.ParseTs(c.it.key) }
func (c *runIterator) Deleted() bool   { return c.it.entry.Meta&bitDelete != 0 }

func (c *runIterator) Value() (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer c.recovered(&err)
	if value, err = c.Peek(); err != nil {
		return nil, err
	}
	return append([]byte{}, value...), nil // the mapped file may be gone later
}

// Peek returns the value in the mapped file.
func (c *runIterator) Peek() (value []byte, err error) {
	return c.it.entry.Value, nil
}

func (c *runIterator) Close() { c.ok = false }

// recovered is recovered for the current table.
func (c *runIterator) recovered(err *error) {
	if r := recover(); r != nil {
		*err = c.rotten(kv.OtherDamage, r)
	}
}

func (c *runIterator) path() string { return filepath.Join(c.t.Path, c.run[c.at].Name()) }

func (c *runIterator) rotten(code kv.ReasonCode, args ...any) error {
	return kv.Corrupt(c.path(), code, args...)
}

// guard runs one move. An error ends the iteration.
func (c *runIterator) guard(move func() error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(c.t.Path, &c.bad)
	c.bad = move()
}

func (c *runIterator) seek(start []byte) error {
	c.at = 0
	switch {
	case start == nil && c.back:
		c.at = len(c.run) - 1
	case start != nil:
		c.at = c.run.holding(start)
		if c.back && (c.at == len(c.run) || bytes.Compare(c.run[c.at].Low, start) > 0) {
			c.at--
		}
	}
	if c.at < 0 || c.at == len(c.run) {
		return nil // no key in the direction
	}
	if err := c.open(); err != nil {
		return err
	}
	if start == nil {
		c.it.rewind()
	} else {
		c.it.seek(start)
	}
	return c.arrive()
}

func (c *runIterator) open() error {
	f := c.run[c.at]
	if err := c.t.index(f); err != nil {
		return err
	}
	c.it = tableIterator{file: f, back: c.back, passed: -1, key: c.it.key}
	return nil
}

// Next moves to the next key. It does what guard does, without a function value: a scan
// makes thousands of moves.
func (c *runIterator) Next() {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(c.t.Path, &c.bad)
	c.it.next()
	c.bad = c.arrive()
}

// arrive handles the end of a move: behind the last key of a table, the next one follows.
func (c *runIterator) arrive() error {
	if c.ok = c.it.ok; c.ok {
		return nil
	}
	if c.it.damaged {
		return c.rotten(kv.DamagedBlock)
	}
	next := c.at + 1
	if c.back {
		next = c.at - 1
	}
	if next < 0 || next == len(c.run) {
		return nil
	}
	disk.DropMapped(c.it.file.mapped.Data)
	c.at = next
	if err := c.open(); err != nil {
		return err
	}
	c.it.rewind()
	return c.arrive()
}
