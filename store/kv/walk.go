package kv

import (
	"bytes"
	"math"
	"path/filepath"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// tableWalk walks tables whose keys follow each other, opening one after the
// other. Keys are Badger's, a version behind each: the newest comes first.
type tableWalk struct {
	t    *tables
	run  []int // in the order of the walk
	back bool
	at   int // of run
	it   *table.Iterator
	ok   bool
}

func (w *tableWalk) close() {
	if w.it != nil {
		_ = w.it.Close()
		w.it = nil
	}
}

func (w *tableWalk) user() []byte    { return y.ParseKey(w.it.Key()) }
func (w *tableWalk) version() uint64 { return y.ParseTs(w.it.Key()) }

// seek goes to the first key in the direction of the walk that is not before
// whole; nil is the very first.
func (w *tableWalk) seek(whole []byte) error {
	var target []byte
	for w.at = range w.run {
		info := w.t.infos[w.run[w.at]]
		if whole == nil {
			break
		}
		if !w.back && bytes.Compare(whole, y.ParseKey(info.high)) <= 0 {
			target = y.KeyWithTs(whole, math.MaxUint64)
			break
		}
		if w.back && bytes.Compare(whole, y.ParseKey(info.low)) >= 0 {
			target = y.KeyWithTs(whole, 0)
			break
		}
		if w.at == len(w.run)-1 {
			return nil // all lie before
		}
	}
	if len(w.run) == 0 {
		return nil
	}
	if err := w.open(); err != nil {
		return err
	}
	if target == nil {
		w.it.Rewind()
	} else {
		w.it.Seek(target)
	}
	return w.settle(target)
}

func (w *tableWalk) open() error {
	w.close()
	o, err := w.t.table(w.run[w.at])
	if err != nil {
		return err
	}
	opt := 0
	if w.back {
		opt = table.REVERSED
	}
	w.it = o.NewIterator(opt)
	return nil
}

func (w *tableWalk) next() error {
	from := bytes.Clone(w.it.Key())
	w.it.Next()
	return w.settle(from)
}

// settle sees to what a step from a key led to: to the next key, past the
// table's last one and so into the next table, or into a bad block.
func (w *tableWalk) settle(from []byte) error {
	if w.ok = w.it.Valid(); w.ok {
		return nil
	}
	info := w.t.infos[w.run[w.at]]
	ended := from != nil && (!w.back && y.CompareKeys(from, info.high) >= 0 || w.back && y.CompareKeys(from, info.low) <= 0)
	if !ended {
		return &CorruptError{Path: filepath.Join(w.t.path, info.name()), Reason: "a block is not as it was written"}
	}
	if w.at++; w.at == len(w.run) {
		w.close()
		return nil
	}
	if err := w.open(); err != nil {
		return err
	}
	w.it.Rewind()
	return w.settle(nil)
}

// tablesCursor walks all tables at once, and shows the newest version of each
// data key.
type tablesCursor struct {
	t     *tables
	walks []*tableWalk
	back  bool

	now  []byte // the key, nil at the end
	seen []byte // its sealed value
	gone bool
	bad  error
}

func (t *tables) cursor(start []byte, back bool) *tablesCursor {
	c := &tablesCursor{t: t, back: back}
	whole := dataKey(start)
	if back && start == nil {
		whole = []byte{2} // just above all data; nothing lies at it
	}
	c.guard(func() error {
		for _, run := range t.runs() {
			w := t.walk(run, back)
			c.walks = append(c.walks, w)
			if err := w.seek(whole); err != nil {
				return err
			}
		}
		return c.step()
	})
	return c
}

// guard runs one move. An error ends the walk.
func (c *tablesCursor) guard(move func() error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(c.t.path, &c.bad)
	c.bad = move()
}

// step takes the next key out of all walks.
func (c *tablesCursor) step() error {
	var key []byte
	for _, w := range c.walks {
		if !w.ok {
			continue
		}
		if d := bytes.Compare(w.user(), key); key == nil || d < 0 && !c.back || d > 0 && c.back {
			key = w.user()
		}
	}
	if key == nil || key[0] != 1 && (key[0] > 1) != c.back {
		c.now = nil
		return nil
	}
	key = bytes.Clone(key)
	newest := uint64(0)
	for _, w := range c.walks {
		for w.ok && bytes.Equal(w.user(), key) {
			if v := w.version(); v >= newest {
				value := w.it.Value()
				newest, c.seen, c.gone = v, value.Value, value.Meta&bitDelete != 0
			}
			if err := w.next(); err != nil {
				return err
			}
		}
	}
	if key[0] != 1 {
		return c.step() // a sentinel or a piece, on the near side of the data
	}
	c.now = key
	return nil
}

func (c *tablesCursor) valid() bool            { return c.bad == nil && c.now != nil }
func (c *tablesCursor) err() error             { return c.bad }
func (c *tablesCursor) deleted() bool          { return c.gone }
func (c *tablesCursor) key() []byte            { return c.now[1:] }
func (c *tablesCursor) value() ([]byte, error) { return c.t.unseal(c.now, c.seen) }
func (c *tablesCursor) next()                  { c.guard(c.step) }

func (c *tablesCursor) close() {
	for _, w := range c.walks {
		w.close()
	}
}
