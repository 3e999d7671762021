// Package store opens the store of techo: memos, memories, events, questions, edits of
// files, tokens and cached web pages. A package below it has the rules of each kind of
// record, package ledger their transactions, package kv the engine. kinds.go lists the
// kinds and describes the keys. What concerns all kinds is here: checks, repairs, copies
// and backups.
package store

import (
	"context"
	"errors"
	"time"

	"techo/store/calendar"
	"techo/store/edit"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/kv/lock"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/receipt"
	"techo/store/space"
	"techo/store/token"
	"techo/store/webcache"
)

// Options configure Open.
type Options struct {
	Write   bool             // create a missing store
	Rebuild bool             // a search without Write may build outdated search indexes again
	Holder  string           // name of this process, for others that wait for it
	Now     func() time.Time // the clock of this machine
	Given   bool             // Now is a time that a person chose: no clock of a database replaces it

	Unfinished bool // also open what an interrupted copy has left, for another copy

	History ledger.HistoryLimits

	Observe func(ledger.Transaction) // is called after each transaction; nil means not

	wrap func(kv.Engine) kv.Engine // for tests: changes the engine
}

// Store is an open store, or one of its shared spaces. Its methods may be called concurrently, also
// from several processes.
type Store struct {
	*ledger.Ledger
	memo.Memos
	memory.Memories
	event.Events
	calendar.Manager
	question.Questions
	token.Tokens
	webcache.Pages
	edit.Edits
	receipt.Receipts
}

func storeOf(l *ledger.Ledger) *Store {
	return &Store{l, memo.Memos{Ledger: l}, memory.Memories{Ledger: l}, event.Events{Ledger: l},
		calendar.Manager{Ledger: l}, question.Questions{Ledger: l}, token.Tokens{Ledger: l},
		webcache.Pages{Ledger: l}, edit.Edits{Ledger: l}, receipt.Receipts{Ledger: l}}
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
	s := &ledger.Ledger{Schemas: schemas(), Engine: engine, Where: where, Shown: Shown(where), Holder: opts.Holder,
		Write: opts.Write, Now: opts.Now,
		History: opts.History.WithDefaults(), Observe: opts.Observe}
	if opts.Rebuild && !opts.Write {
		s.Rebuild = func(ctx context.Context) error { return rebuild(ctx, where, opts) }
	}
	if clock, ok := engine.(kv.Clock); ok && !opts.Given {
		s.Clock, s.Now = clock, func() time.Time {
			if now, known := clock.Now(); known {
				return now
			}
			return opts.Now()
		}
	}
	return storeOf(s), nil
}

// rebuild opens a store to build its outdated search indexes again.
func rebuild(ctx context.Context, where string, opts Options) (err error) {
	opts.Write = true
	s, err := Open(where, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Ledger.RefreshIndexes(ctx)
}

// Info returns the figures of the engine and the counts of memos.
func (s *Store) Info(ctx context.Context) (kv.Info, memo.Counts, error) {
	var counts memo.Counts
	err := s.View(ctx, func(tx *ledger.Tx) (err error) {
		counts, err = memo.LoadCounts(tx)
		return err
	})
	if err != nil {
		return kv.Info{}, memo.Counts{}, err
	}
	info, err := s.Engine.Info(ctx)
	return info, counts, err
}

// In returns a shared space as a store for one of its members. Each of its transactions looks up the
// role of the user first: see Spaces.In.
func In(s *Store, name, user string) *Store { return storeOf(space.Of(s.Ledger).In(name, user)) }

// Mark returns a value that differs from earlier ones after any process has written to
// the store in a folder, which need not exist. It only looks at the times and sizes of a few
// files, so it can be called often.
func Mark(folder string) any { return lock.Mark(folder) }

// DatabaseMark is Mark for a store in a database, which it asks.
func DatabaseMark(ctx context.Context, s *Store) (string, error) {
	e, err := ledger.Offered[kv.Marker](s.Ledger, ledger.FeatureMark)
	if err != nil {
		return "", err
	}
	return e.Mark(ctx)
}

// Usage counts questions and cached pages.
type Usage struct {
	Questions int // ever asked
	Pending   int // waiting for an answer
	WebPages  int // cached
	WebBytes  int64
}

// Usage counts questions and cached pages.
func (s *Store) Usage(ctx context.Context) (h Usage, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		questions, err := question.LoadCounts(tx)
		if err != nil {
			return err
		}
		var pages webcache.Counts
		if err := ledger.Load(tx, webcache.CountKey.All(), &pages); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		h = Usage{int(questions.Last), questions.Pending, pages.Pages, pages.Bytes}
		return nil
	})
	return h, err
}
