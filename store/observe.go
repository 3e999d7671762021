package store

import (
	"context"
	"errors"
	"time"

	"techo/store/kv"
)

// Transaction describes a transaction that has ended, for the metrics of a server.
type Transaction struct {
	Write  bool
	Waited time.Duration // until it could begin: for other processes, or for a connection
	Took   time.Duration // in all
}

// observed runs a transaction and reports it to Options.Observe.
func observed(s *Store, write bool, run func(func(kv.Tx) error) error, fn func(kv.Tx) error) error {
	if s.observe == nil {
		return run(fn)
	}
	began, waited := time.Now(), time.Duration(-1)
	err := run(func(tx kv.Tx) error {
		if waited < 0 { // a repeated transaction does not wait again
			waited = time.Since(began)
		}
		return fn(tx)
	})
	took := time.Since(began)
	if waited < 0 {
		waited = took
	}
	s.observe(Transaction{write, waited, took})
	return err
}

// Ping fails if a store cannot be read now. It reads one key, because a database is not asked
// before the first read of a transaction.
func Ping(ctx context.Context, s *Store) error {
	return s.view(ctx, func(tx kv.Tx) error {
		if _, err := tx.Get(memoCountKey.all()); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return nil
	})
}
