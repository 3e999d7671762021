package ledger

import (
	"context"
	"errors"
	"time"

	"techo/store/kv"
)

// Transaction describes a transaction that has ended, for the metrics of a server.
type Transaction struct {
	Write  bool
	Waited time.Duration // for other processes, for its turn in this one, or for a connection
	Took   time.Duration // in all
}

// observed runs a transaction and reports it to Options.Observe.
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
