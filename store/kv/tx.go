package kv

import (
	"errors"
	"iter"
)

// localTx is one transaction of Local.
type localTx struct {
	engine *Local
	write  bool
	own    tree // what this transaction has written
	over   tree // what the journal holds
	pinned bool // base is what lies below, whatever the engine's is by now
	base   *tables
	ended  bool
}

func (tx *localTx) finish(err error) error {
	tx.ended = true
	return err
}

// below returns the tables under the journal, nil when there are none.
func (tx *localTx) below() (*tables, error) {
	if tx.pinned {
		return tx.base, nil
	}
	return tx.engine.base()
}

func (tx *localTx) payload() []byte {
	var p []byte
	for it := tx.own.keys.Iter(); it.Next(); {
		if e := it.Value(); e.deleted {
			p = appendDelete(p, []byte(it.Key()))
		} else {
			p = appendPut(p, []byte(it.Key()), e.value)
		}
	}
	return p
}

func (tx *localTx) Get(key []byte) ([]byte, error) {
	if tx.ended {
		return nil, ErrClosed
	}
	for _, t := range []*tree{&tx.own, &tx.over} {
		if e, ok := t.keys.Get(string(key)); ok {
			if e.deleted {
				return nil, ErrNotFound
			}
			return e.value, nil
		}
	}
	base, err := tx.below()
	if err != nil {
		return nil, err
	}
	if base == nil {
		return nil, ErrNotFound
	}
	return base.get(key)
}

func (tx *localTx) Put(key, value []byte) error {
	if len(value) > MaxValue {
		return &TooLargeError{What: "value", Size: len(value), Most: MaxValue}
	}
	return tx.set(opPut, key, value)
}

func (tx *localTx) Delete(key []byte) error { return tx.set(opDelete, key, nil) }

func (tx *localTx) set(op byte, key, value []byte) error {
	switch {
	case tx.ended:
		return ErrClosed
	case !tx.write:
		return errors.New("store: write in a View")
	case len(key) == 0 || len(key) > MaxKey:
		return &TooLargeError{What: "key", Size: len(key), Most: MaxKey}
	}
	tx.own.apply(op, key, value)
	return nil
}

func (tx *localTx) Scan(r Range) iter.Seq2[Item, error] {
	return merge(r, func(start []byte, back bool) ([]cursor, error) {
		if tx.ended {
			return nil, ErrClosed
		}
		cursors := []cursor{tx.own.cursor(start, back), tx.over.cursor(start, back)}
		base, err := tx.below()
		if err == nil && base != nil {
			for _, r := range base.runs {
				cursors = append(cursors, base.cursor(r, start, back))
			}
		}
		return cursors, err
	})
}
