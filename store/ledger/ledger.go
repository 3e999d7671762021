// Package ledger has what all kinds of records share: the prefixes of keys, transactions that record
// which records they change, the log of these changes, and the places in which records are: the store
// itself and its shared spaces. It knows no kind: each describes itself by a [Schema].
//
// Most kinds keep their records in a [Table], which writes index entries and counts with them, and
// provides the schema:
//
//	var notes = &ledger.Table[Note, Counts]{
//		Kind: "note", Records: "ni", Indexes: []ledger.Prefix{"nn"}, CountKey: "nc",
//		Key:    func(n *Note) []byte { return []byte("ni" + n.ID) },
//		Encode: func(n *Note) ([]byte, error) { return ledger.Encode(n) },
//		Decode: func(key, value []byte) (Note, error) {
//			return ledger.DecodeJSON[Note]("note", string(ledger.Rest(key)), value)
//		},
//		Index: func(n *Note) []kv.Pair { return []kv.Pair{{Key: []byte("nn" + n.Title), Value: []byte(n.ID)}} },
//		Count: func(c *Counts, n *Note, by int) { c.Notes += by },
//	}
//
//	err := l.Update(ctx, func(tx *ledger.Tx) error { return notes.Put(tx, nil, &note) })
package ledger

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"techo/store/kv"
)

// Ledger is the key space of an open store or of one of its shared spaces, whose transactions record
// what they change. Its methods may be called concurrently, also from several processes.
type Ledger struct {
	Schemas *Schemas
	Engine  kv.Engine
	Where   string // its address
	Shown   string // its address without a password, for errors
	Holder  string // name of this process, for others that wait for it
	Now     func() time.Time
	Write   bool // it may be written to

	// Rebuild builds all outdated search indexes again if Write is false; nil means not.
	Rebuild func(context.Context) error

	Clock   kv.Clock // orders the records of several machines; nil means now does
	History HistoryLimits
	Observe func(Transaction)
	current atomic.Bool // this version has written all search indexes

	parent *Ledger // of a shared space; nil for the store itself
	Space  string  // name of the shared space, or ""
	enter  func(tx *Tx, needs Role) (Place, error)
}

// Close closes the store. All acknowledged writes are durable already.
func (s *Ledger) Close() error { return s.Engine.Close() }

// openKey is the context key of the transaction that nested calls join.
type openKey struct{}

// openTx is an open transaction of the store or of a shared space.
type openTx struct {
	space string
	tx    *Tx
}

// WithOpen returns a context whose calls join a transaction. What does not join it, such as a
// Maintain, fails with kv.ErrNested.
func (s *Ledger) WithOpen(ctx context.Context, tx *Tx) context.Context {
	if kv.IsUpdating(tx.Context(), s.Engine) {
		ctx = kv.Updating(ctx, s.Engine)
	}
	return context.WithValue(ctx, openKey{}, openTx{s.Space, tx})
}

// entered returns the transaction of the shared space that s is, or the given one for a store.
func (s *Ledger) entered(tx *Tx, needs Role) (*Tx, error) {
	if s.enter == nil {
		return tx, nil
	}
	p, err := s.enter(tx, needs)
	if err != nil {
		return nil, err
	}
	return tx.In(p), nil
}

// running returns a function of the engine that runs fn in the place of s.
func (s *Ledger) running(needs Role, fn func(*Tx) error) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		entered, err := s.entered(NewTx(s, tx), needs)
		if err != nil {
			return err
		}
		return fn(entered)
	}
}

// View runs fn in a read transaction.
func (s *Ledger) View(ctx context.Context, fn func(*Tx) error) error {
	if open, ok := ctx.Value(openKey{}).(openTx); ok {
		return s.join(open, fn)
	}
	run := func(ctx context.Context, fn func(kv.Tx) error) error {
		return s.refreshed(ctx, func() error { return s.Engine.View(ctx, fn) })
	}
	return s.observed(ctx, false, run, s.running(ReadRole, fn))
}

// Update runs fn in a write transaction, perhaps more than once, and records the
// changes of records in the history.
func (s *Ledger) Update(ctx context.Context, fn func(*Tx) error) error {
	if open, ok := ctx.Value(openKey{}).(openTx); ok {
		return s.join(open, fn)
	}
	if s.Clock != nil {
		if err := s.Clock.SyncClock(ctx); err != nil {
			return err
		}
	}
	run := func(ctx context.Context, fn func(kv.Tx) error) error {
		return s.refreshed(ctx, func() error { return s.Engine.Update(ctx, fn) })
	}
	return s.observed(ctx, true, run, s.running(WriteRole, func(tx *Tx) error { return s.Record(ctx, tx, fn) }))
}

// Maintain runs fn in a write transaction that records nothing, and that no other one joins.
func (s *Ledger) Maintain(ctx context.Context, fn func(*Tx) error) error {
	return s.Engine.Update(ctx, s.running(WriteRole, fn))
}

// Inspect runs fn in a read transaction that joins no other one.
func (s *Ledger) Inspect(ctx context.Context, fn func(*Tx) error) error {
	return s.Engine.View(ctx, s.running(ReadRole, fn))
}

// Stream runs fn once, in a read transaction, so that fn may pass on what it reads.
func (s *Ledger) Stream(ctx context.Context, fn func(*Tx) error) error {
	if open, ok := ctx.Value(openKey{}).(openTx); ok {
		return s.join(open, fn)
	}
	return s.Snapshot(ctx, fn)
}

// Snapshot runs fn once, on a state that no writer waits for.
func (s *Ledger) Snapshot(ctx context.Context, fn func(*Tx) error) error {
	return s.Engine.Snapshot(ctx, s.running(ReadRole, fn))
}

func (s *Ledger) join(open openTx, fn func(*Tx) error) error {
	if open.space != s.Space {
		return ErrOtherSpace
	}
	return fn(open.tx)
}

// Group runs fn, whose writes become durable together. After an error none of them
// is kept. fn may run more than once and must set its results anew each time.
func (s *Ledger) Group(ctx context.Context, fn func(context.Context) error) error {
	if err := s.refreshIndexes(ctx); err != nil {
		return err
	}
	return s.Engine.Group(ctx, fn)
}

// Time returns the current time in the precision of records, milliseconds.
func (s *Ledger) Time() time.Time { return s.Now().Truncate(time.Millisecond) }

// Offered returns an engine as the interface of a feature, or a NoFeatureError.
func Offered[T any](s *Ledger, f Feature) (engine T, err error) {
	engine, ok := s.Engine.(T)
	if !ok {
		return engine, &NoFeatureError{s.Shown, f}
	}
	return engine, nil
}

// Folder returns the folder of a store.
func (s *Ledger) Folder() (string, error) {
	e, err := Offered[kv.Folder](s, FeatureFolder)
	if err != nil {
		return "", err
	}
	return e.Folder(), nil
}

// Transaction describes a transaction that has ended, for the metrics of a server.
type Transaction struct {
	Write  bool
	Waited time.Duration // for other processes, for its turn in this one, or for a connection
	Took   time.Duration // in all
}

func (s *Ledger) observed(ctx context.Context, write bool, run func(context.Context, func(kv.Tx) error) error, fn func(kv.Tx) error) error {
	if s.Observe == nil {
		return run(ctx, fn)
	}
	began, waited := time.Now(), time.Duration(-1)
	var later kv.Waiting // after fn has begun
	err := run(kv.WithWaiting(ctx, &later), func(tx kv.Tx) error {
		if waited < 0 {
			waited = time.Since(began)
			later.Take() // which is a part of it
		}
		return fn(tx)
	})
	took := time.Since(began)
	if waited < 0 {
		waited = took
	} else {
		waited += later.Take()
	}
	s.Observe(Transaction{write, waited, took})
	return err
}

// Ping fails if a store cannot be read now. It reads one key, because a database is not asked
// before the first read of a transaction.
func (s *Ledger) Ping(ctx context.Context) error {
	return s.View(ctx, func(tx *Tx) error {
		if _, err := tx.Get(HistoryCountKey.All()); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return nil
	})
}
