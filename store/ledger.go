package store

import (
	"context"
	"sync/atomic"
	"time"

	"techo/store/kv"
)

// Ledger is the key space of an open store or of one of its shared spaces, whose transactions record
// what they change. Its methods may be called concurrently, also from several processes.
type Ledger struct {
	schemas *Schemas
	engine  kv.Engine
	where   string // its address
	shown   string // its address without a password, for errors
	holder  string // name of this process, for others that wait for it
	now     func() time.Time
	write   bool     // it may be written to
	clock   kv.Clock // orders the records of several machines; nil means now does
	history HistoryLimits
	observe func(Transaction)
	current atomic.Bool // this version has written all search indexes

	parent *Ledger // of a shared space; nil for the store itself
	space  string  // name of the shared space, or ""
	enter  func(tx *Tx, needs Role) (sharedPlace, error)
}

// Close closes the store. All acknowledged writes are durable already.
func (s *Ledger) Close() error { return s.engine.Close() }

// openKey is the context key of the transaction that nested calls join.
type openKey struct{}

// openTx is an open transaction of the store or of a shared space.
type openTx struct {
	space string
	tx    *Tx
}

// withOpen returns a context whose calls join a transaction.
func withOpen(ctx context.Context, s *Ledger, tx *Tx) context.Context {
	return context.WithValue(ctx, openKey{}, openTx{s.space, tx})
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
	return tx.in(p), nil
}

// running returns a function of the engine that runs fn in the place of s.
func (s *Ledger) running(needs Role, fn func(*Tx) error) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		entered, err := s.entered(newTx(s, tx), needs)
		if err != nil {
			return err
		}
		return fn(entered)
	}
}

// view runs fn in a read transaction.
func (s *Ledger) view(ctx context.Context, fn func(*Tx) error) error {
	if open, ok := ctx.Value(openKey{}).(openTx); ok {
		return join(s, open, fn)
	}
	run := func(ctx context.Context, fn func(kv.Tx) error) error {
		return refreshed(ctx, s, func() error { return s.engine.View(ctx, fn) })
	}
	return observed(ctx, s, false, run, s.running(ReadRole, fn))
}

// update runs fn in a write transaction, perhaps more than once, and records the
// changes of records in the history.
func (s *Ledger) update(ctx context.Context, fn func(*Tx) error) error {
	if open, ok := ctx.Value(openKey{}).(openTx); ok {
		return join(s, open, fn)
	}
	if s.clock != nil {
		if err := s.clock.SyncClock(ctx); err != nil {
			return err
		}
	}
	run := func(ctx context.Context, fn func(kv.Tx) error) error {
		return refreshed(ctx, s, func() error { return s.engine.Update(ctx, fn) })
	}
	return observed(ctx, s, true, run,
		s.running(WriteRole, func(tx *Tx) error { return recorded(ctx, s, tx, fn) }))
}

// maintain runs fn in a write transaction that records nothing, and that no other one joins.
func (s *Ledger) maintain(ctx context.Context, fn func(*Tx) error) error {
	return s.engine.Update(ctx, s.running(WriteRole, fn))
}

// inspect runs fn in a read transaction that joins no other one.
func (s *Ledger) inspect(ctx context.Context, fn func(*Tx) error) error {
	return s.engine.View(ctx, s.running(ReadRole, fn))
}

// stream runs fn once, in a read transaction, so that fn may pass on what it reads.
func stream(ctx context.Context, s *Ledger, fn func(*Tx) error) error {
	if open, ok := ctx.Value(openKey{}).(openTx); ok {
		return join(s, open, fn)
	}
	return s.snapshot(ctx, fn)
}

// snapshot runs fn once, on a state that no writer waits for.
func (s *Ledger) snapshot(ctx context.Context, fn func(*Tx) error) error {
	return s.engine.Snapshot(ctx, s.running(ReadRole, fn))
}

// join runs fn in an open transaction.
func join(s *Ledger, open openTx, fn func(*Tx) error) error {
	if open.space != s.space {
		return errOtherSpace
	}
	return fn(open.tx)
}

// Group runs fn, whose writes become durable together. After an error none of them
// is kept. fn may run more than once and must set its results anew each time.
func (s *Ledger) Group(ctx context.Context, fn func(context.Context) error) error {
	if err := refreshIndexes(ctx, s); err != nil {
		return err
	}
	return s.engine.Group(ctx, fn)
}

// time returns the current time in the precision of records, milliseconds.
func (s *Ledger) time() time.Time { return s.now().Truncate(time.Millisecond) }
