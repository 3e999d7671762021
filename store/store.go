// Package store keeps the records of techo: memos, memories, events, questions,
// edits of files, tokens and cached web pages. It owns their rules, and the
// transactions that keep records, indexes and counts consistent. keyspace.go
// describes the keys; package kv stores them.
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"techo/store/kv"
)

// Options configure Open.
type Options struct {
	Write  bool             // create a missing store
	Holder string           // name of this process, for others that wait for it
	Now    func() time.Time // the clock of this machine
	Given  bool             // Now is a time that a person chose: no clock of a database replaces it
	Leaves bool             // the process exits after Close

	Unfinished bool // also open what an interrupted copy has left, for another copy

	History HistoryLimits

	Observe func(Transaction) // is called after each transaction; nil means not

	wrap func(kv.Engine) kv.Engine // for tests: changes the engine
}

// Store is an open store. Its methods may be called concurrently, also from
// several processes.
type Store struct {
	engine  kv.Engine
	where   string // its address, for errors
	holder  string // name of this process, for others that wait for it
	now     func() time.Time
	clock   kv.Clock // orders the records of several machines; nil means now does
	history HistoryLimits
	observe func(Transaction)
	current atomic.Bool // this version has written all search indexes
	numbers sync.Map    // number of each user of memories but the first, by space and name

	parent *Store // of a shared space; nil for the store itself
	space  string // name of the shared space, or ""
}

// Open opens the store at a folder.
func Open(where string, opts Options) (*Store, error) {
	d, err := driverOf(where)
	if err != nil {
		return nil, err
	}
	engine, err := d.open(where, opts)
	if err != nil {
		return nil, err
	}
	if opts.wrap != nil {
		engine = opts.wrap(engine)
	}
	s := &Store{engine: engine, where: where, holder: opts.Holder, now: opts.Now,
		history: opts.History.withDefaults(), observe: opts.Observe}
	if clock, ok := engine.(kv.Clock); ok && !opts.Given {
		s.clock, s.now = clock, func() time.Time {
			if now, known := clock.Now(); known {
				return now
			}
			return opts.Now()
		}
	}
	return s, nil
}

// Close closes the store. All acknowledged writes are durable already.
func (s *Store) Close() error { return s.engine.Close() }

// txKey is the context key of the transaction that nested calls join.
type txKey struct{}

// openTx is an open transaction of the store or of a shared space.
type openTx struct {
	space string
	tx    kv.Tx
}

// view runs fn in a read transaction.
func (s *Store) view(ctx context.Context, fn func(kv.Tx) error) error {
	if open, ok := ctx.Value(txKey{}).(openTx); ok {
		return join(s, open, fn)
	}
	return observed(ctx, s, false, s.engine.View, fn)
}

// update runs fn in a write transaction, perhaps more than once, and records the
// changes of records in the history.
func (s *Store) update(ctx context.Context, fn func(kv.Tx) error) error {
	if open, ok := ctx.Value(txKey{}).(openTx); ok {
		return join(s, open, fn)
	}
	if s.clock != nil {
		if err := s.clock.SyncClock(ctx); err != nil {
			return err
		}
	}
	run := func(ctx context.Context, fn func(kv.Tx) error) error {
		return refreshed(ctx, s, func() error {
			return s.engine.Update(ctx, func(tx kv.Tx) error { return recorded(ctx, s, tx, fn) })
		})
	}
	return observed(ctx, s, true, run, fn)
}

// stream runs fn once, in a read transaction, so that fn may pass on what it reads.
func stream(ctx context.Context, s *Store, fn func(kv.Tx) error) error {
	if open, ok := ctx.Value(txKey{}).(openTx); ok {
		return join(s, open, fn)
	}
	return s.engine.Snapshot(ctx, fn)
}

// join runs fn in an open transaction.
func join(s *Store, open openTx, fn func(kv.Tx) error) error {
	if open.space != s.space {
		return errOtherSpace
	}
	return fn(open.tx)
}

// Group runs fn, whose writes become durable together. After an error none of them
// is kept. fn may run more than once and must set its results anew each time.
func (s *Store) Group(ctx context.Context, fn func(context.Context) error) error {
	if err := refreshIndexes(ctx, s); err != nil {
		return err
	}
	return s.engine.Group(ctx, fn)
}

// time returns the current time in the precision of records, milliseconds.
func (s *Store) time() time.Time { return s.now().Truncate(time.Millisecond) }

// NotFoundError reports that no record has a name or an id.
type NotFoundError struct {
	Kind Kind
	Name string
	Near []string // existing names that look alike, the nearest first
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s %q: not found", e.Kind, e.Name) }

// TakenError reports that a name is in use.
type TakenError struct {
	Kind Kind
	Name string
}

func (e *TakenError) Error() string { return fmt.Sprintf("%s %q: name is taken", e.Kind, e.Name) }

// LimitError reports that a change would exceed a limit.
type LimitError struct {
	What string // "tags", "different tags", "tokens", "calls", "bytes", "stored bytes", "session", "topic"
	Max  int
	Got  int
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s: %d, at most %d", e.What, e.Got, e.Max) }

// load decodes the JSON under a key into v. It clears v first, because a transaction may
// run again.
func load[T any](tx kv.Tx, key []byte, v *T) error {
	b, err := tx.Get(key)
	if err != nil {
		*v = *new(T)
		return err
	}
	return decode(key, b, v)
}

// decode decodes the JSON under a key.
func decode[T any](key, b []byte, v *T) error {
	*v = *new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return &kv.CorruptError{Path: string(key), Reason: kv.ReasonOf(err)}
	}
	return nil
}

// save stores v as JSON under a key.
func save(tx kv.Tx, key []byte, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	return tx.Put(key, b)
}

// encode returns v as JSON. Unlike json.Marshal it does not escape <, > and &,
// which would take six bytes each.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Info returns the figures of the engine and the counts of memos.
func (s *Store) Info(ctx context.Context) (kv.Info, MemoCounts, error) {
	var counts MemoCounts
	err := s.view(ctx, func(tx kv.Tx) (err error) {
		counts, err = loadCounts(tx)
		return err
	})
	if err != nil {
		return kv.Info{}, MemoCounts{}, err
	}
	info, err := s.engine.Info(ctx)
	return info, counts, err
}
