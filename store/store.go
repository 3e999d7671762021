// Package store keeps the records of techo: memos, memories, events, questions,
// edits of files, tokens and cached web pages. It owns their rules, and the
// transactions that keep records, indexes and counts consistent. keyspace.go
// describes the keys; package kv stores them.
package store

import (
	"context"
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

// Store is an open store, or one of its shared spaces. Its methods may be called concurrently, also
// from several processes.
type Store struct {
	*Ledger
	Memos
	Memories
	Events
	Manager
	Questions
	Tokens
	WebPages
	Edits
	Receipts
}

// storeOf returns the store with a ledger.
func storeOf(l *Ledger) *Store {
	return &Store{l, Memos{l}, Memories{l}, Events{l}, Manager{l}, Questions{l}, Tokens{l}, WebPages{l}, Edits{l}, Receipts{l}}
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
	s := &Ledger{schemas: schemas(), engine: engine, where: where, shown: Shown(where), holder: opts.Holder, write: opts.Write, now: opts.Now,
		history: opts.History.withDefaults(), observe: opts.Observe}
	if clock, ok := engine.(kv.Clock); ok && !opts.Given {
		s.clock, s.now = clock, func() time.Time {
			if now, known := clock.Now(); known {
				return now
			}
			return opts.Now()
		}
	}
	return storeOf(s), nil
}

// Info returns the figures of the engine and the counts of memos.
func (s *Store) Info(ctx context.Context) (kv.Info, MemoCounts, error) {
	var counts MemoCounts
	err := s.view(ctx, func(tx *Tx) (err error) {
		counts, err = loadCounts(tx)
		return err
	})
	if err != nil {
		return kv.Info{}, MemoCounts{}, err
	}
	info, err := s.engine.Info(ctx)
	return info, counts, err
}

// In returns a shared space as a store for one of its members. Each of its transactions looks up the
// role of the user first: see Spaces.In.
func In(s *Store, name, user string) *Store { return storeOf(SpacesOf(s.Ledger).In(name, user)) }
