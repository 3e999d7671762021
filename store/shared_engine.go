package store

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"techo/store/kv"
)

// errNoSpace is returned for an operation of shared spaces elsewhere.
var errNoSpace = errors.New("store: not in a shared space")

// errOtherSpace is returned if a transaction of another space is open, which would
// write the keys of the wrong one.
var errOtherSpace = errors.New("store: a transaction of another space is open")

// rootOf returns the store that a shared space is in.
func rootOf(s *Store) *Store {
	if s.parent != nil {
		return s.parent
	}
	return s
}

// viewRoot runs fn in a read transaction of the store, outside of all spaces.
func viewRoot(ctx context.Context, s *Store, fn func(kv.Tx) error) error {
	return rootOf(s).view(ctx, fn)
}

// updateRoot is viewRoot for a write transaction.
func updateRoot(ctx context.Context, s *Store, fn func(kv.Tx) error) error {
	return rootOf(s).update(ctx, fn)
}

// In returns a shared space as a store. Each of its transactions first looks up the
// role of the user, and fails with a NoSpaceError unless the user is a member, or with
// a SpaceRoleError: reading needs ReadRole, writing WriteRole.
func (a Spaces) In(name, user string) *Store {
	by := Acting{User: user}
	return within(a.store, name, func(tx kv.Tx, needs Role) (*sharedTx, error) {
		number, role, err := by.enter(tx, name)
		if err != nil {
			return nil, err
		}
		if role < needs {
			return nil, &SpaceRoleError{name, role, needs}
		}
		return &sharedTx{Tx: tx, prefix: sharedPrefix(number), number: number, name: name, user: user, role: role}, nil
	})
}

// maintained returns the space with a number as a store for checks and repairs, which
// need no role.
func maintained(s *Store, number uint64) *Store {
	return within(s, "", func(tx kv.Tx, _ Role) (*sharedTx, error) {
		return &sharedTx{Tx: tx, prefix: sharedPrefix(number), number: number, role: AdminRole}, nil
	})
}

func within(s *Store, name string, enter func(kv.Tx, Role) (*sharedTx, error)) *Store {
	base := rootOf(s)
	return &Store{engine: &sharedEngine{base.engine, enter}, where: base.where, now: base.now, history: base.history,
		observe: base.observe, parent: base, space: name}
}

// SpaceOf returns the name of a shared space, or "" for the store itself.
func SpaceOf(s *Store) string { return s.space }

// sharedEngine is the key space of a shared space. Only its transactions are its own.
type sharedEngine struct {
	kv.Engine
	enter func(tx kv.Tx, needs Role) (*sharedTx, error)
}

func (e *sharedEngine) in(needs Role, fn func(kv.Tx) error) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		within, err := e.enter(tx, needs)
		if err != nil {
			return err
		}
		return fn(within)
	}
}

func (e *sharedEngine) View(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.View(ctx, e.in(ReadRole, fn))
}

func (e *sharedEngine) Snapshot(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.Snapshot(ctx, e.in(ReadRole, fn))
}

func (e *sharedEngine) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.Update(ctx, e.in(WriteRole, fn))
}

// sharedTx is a transaction within a shared space: the space's prefix precedes all its
// keys.
type sharedTx struct {
	kv.Tx
	prefix []byte
	number uint64 // of the space
	name   string
	user   string
	role   Role
}

// sharedOf returns the transaction of a shared space, or nil outside of all spaces.
func sharedOf(tx kv.Tx) *sharedTx {
	switch tx := tx.(type) {
	case *changeTx:
		return sharedOf(tx.Tx)
	case *sharedTx:
		return tx
	}
	return nil
}

func (t *sharedTx) key(key []byte) []byte {
	return append(append(make([]byte, 0, len(t.prefix)+len(key)), t.prefix...), key...)
}

func (t *sharedTx) keys(keys [][]byte) [][]byte {
	var all [][]byte
	for _, key := range keys {
		all = append(all, t.key(key))
	}
	return all
}

func (t *sharedTx) span(r kv.Range) kv.Range {
	r.Prefix = t.key(r.Prefix)
	if r.From != nil {
		r.From = t.key(r.From)
	}
	if r.To != nil {
		r.To = t.key(r.To)
	}
	return r
}

func (t *sharedTx) Get(key []byte) ([]byte, error) { return t.Tx.Get(t.key(key)) }

// Peek implements kv.Peeker.
func (t *sharedTx) Peek(key []byte) ([]byte, error) { return kv.Peek(t.Tx, t.key(key)) }

func (t *sharedTx) GetMany(keys [][]byte) ([][]byte, error) { return t.Tx.GetMany(t.keys(keys)) }

func (t *sharedTx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	spans := make([]kv.Range, len(ranges))
	for i, r := range ranges {
		spans[i] = t.span(r)
	}
	values, items, err = t.Tx.ReadMany(t.keys(keys), spans)
	for _, of := range items {
		for i := range of {
			of[i].Key = bytes.TrimPrefix(of[i].Key, t.prefix)
		}
	}
	return values, items, err
}

func (t *sharedTx) Prefetch(reads func() kv.Reads) error {
	return t.Tx.Prefetch(func() kv.Reads {
		r := reads()
		all := kv.Reads{Keys: t.keys(r.Keys), All: r.All}
		for _, span := range r.Ranges {
			all.Ranges = append(all.Ranges, t.span(span))
		}
		for _, l := range r.Linked {
			l.Prefix = t.key(l.Prefix)
			if l.Key != nil {
				l.Key = t.key(l.Key)
			} else {
				l.Range = t.span(l.Range)
			}
			all.Linked = append(all.Linked, l)
		}
		return all
	})
}

func (t *sharedTx) Put(key, value []byte) error { return t.Tx.Put(t.key(key), value) }
func (t *sharedTx) Delete(key []byte) error     { return t.Tx.Delete(t.key(key)) }

func (t *sharedTx) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	return func(yield func(kv.Item, error) bool) {
		for item, err := range t.Tx.Scan(t.span(r)) {
			if err == nil {
				item = kv.NewItem(bytes.TrimPrefix(item.Key, t.prefix), item.Value)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
