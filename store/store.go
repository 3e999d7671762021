// Package store remembers: the nouns of techo, their rules, and the
// transactions that keep them together. No other room knows a key.
//
// # Keys
//
// Two letters name a space; what follows is the key within it. Numbers are
// big-endian. A name or tag is NFC text; a length is an unsigned varint.
//
//	mi id                            memo, JSON
//	mn name                        → id
//	mo rank updated name           → id    all memos, in the order of lists
//	mt length tag rank updated name→ id    the same for each tag of a memo
//	mu updated name                → id    all memos, latest first
//	mc                               counts: all memos, and each tag's, JSON
//	cc calendar                      calendar: its kind, and how many events of each length, JSON
//	ci length calendar level start id  event, in the form of event_record.go
//	cb length calendar level start id  series of events, likewise
//	cm length calendar level start id→ what a query has to know of a series: its end and a filter
//	ce id                          → where the event lies: calendar, level and start, JSON
//	cu length calendar uid 0 occurrence → id
//	ch group 0 id                    the alternatives that were held together
//	qi number                        question, JSON; its id is q and the number
//	qk key                         → number    the questions that were asked with a key
//	qp number                      → number    those that are pending, oldest first
//	qc                               counts: the last number, and how many are pending, JSON
//	wp id                            web page of the cache, JSON; its body is a file in the folder web
//	wt fetched id                    the same, oldest first
//	wc                               counts: pages and the bytes of their bodies, JSON
//	rk length user key               receipt of an idempotency key, JSON
//	ue number                        change of files that can be taken back, JSON
//	uw number file                   how one of its files goes back, packed by tools/files
//	uc                               counts: the next number, changes, bytes of ways back, JSON
//	pk                               users of memories that were numbered, JSON
//	pu name                          user: number, counts, JSON
//	pm user id                       memory, JSON
//	ph user digest                 → id    of a text whose memory has not the id that is made of it
//	ps user session                  session: number, count, JSON
//	pt length user turn              calls of a turn, JSON
//	pl user session time text        memories in the order of time, in runs of up to 128
//	s?                               the search index of memos and memories; package search says how
//
// rank is one byte, 5 − priority; updated is 8 bytes, the milliseconds since
// 1970 with all bits but the first turned over, so that the latest comes
// first. A list therefore reads the entries that it shows, and no more. user
// and session are 4 bytes, numbers that are given out once; session 0 is all.
//
// start is 8 bytes, an event's start in seconds since 1970 with its sign turned
// over. level is one byte: how many times a quarter of an hour has to be
// quadrupled to be as long as the event, or from the first to the last of a
// series, and 13 for a series without end. What overlaps a window is therefore
// found by one short scan on each level that has any: from the window's start
// less the level's longest length up to the window's end. The records lie in the
// index itself, so that events of one week lie together.
package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"techo/store/kv"
)

// Options tell Open how a store is to be opened.
type Options struct {
	Write  bool             // the store is made when it is not there
	Holder string           // what this process calls itself to those who wait for it
	Now    func() time.Time // the clock
	Leaves bool             // the process ends after Close
}

// Store keeps the nouns. Its methods may be called at once from several
// goroutines and processes.
type Store struct {
	engine kv.Engine
	folder string
	now    func() time.Time
}

// NoEngineError says that a store's address names an engine that this techo
// does not have.
type NoEngineError struct{ Engine string }

func (e *NoEngineError) Error() string { return "store: no engine for " + e.Engine }

// Open opens the store at a folder.
func Open(where string, opts Options) (*Store, error) {
	if scheme, _, ok := strings.Cut(where, "://"); ok {
		return nil, &NoEngineError{scheme}
	}
	engine, err := kv.Open(where, kv.Options{Write: opts.Write, Holder: opts.Holder, Leaves: opts.Leaves})
	if err != nil {
		return nil, err
	}
	return &Store{engine, where, opts.Now}, nil
}

// Close closes the store. What was acknowledged is durable before.
func (s *Store) Close() error { return s.engine.Close() }

// txKey is where a context carries the transaction that calls within it join.
type txKey struct{}

// view runs fn in a transaction that reads.
func (s *Store) view(ctx context.Context, fn func(kv.Tx) error) error {
	if tx, ok := ctx.Value(txKey{}).(kv.Tx); ok {
		return fn(tx)
	}
	return s.engine.View(ctx, fn)
}

// update runs fn in a transaction that writes, perhaps more than once.
func (s *Store) update(ctx context.Context, fn func(kv.Tx) error) error {
	if tx, ok := ctx.Value(txKey{}).(kv.Tx); ok {
		return fn(tx)
	}
	return s.engine.Update(ctx, fn)
}

// Group runs fn, whose writes are made durable together. An error means that
// none of them was kept.
func (s *Store) Group(ctx context.Context, fn func(context.Context) error) error {
	return s.engine.Group(ctx, fn)
}

// time returns the clock's time as it is stored: in milliseconds.
func (s *Store) time() time.Time { return s.now().Truncate(time.Millisecond) }

// NotFoundError says that no noun has a name or an id.
type NotFoundError struct {
	Noun string // "memo"
	Name string
	Near []string // names that are there and look alike, the nearest first
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s %q: not found", e.Noun, e.Name) }

// TakenError says that a name is in use.
type TakenError struct {
	Noun string
	Name string
}

func (e *TakenError) Error() string { return fmt.Sprintf("%s %q: name is taken", e.Noun, e.Name) }

// LimitError says that there would be more of something than may be.
type LimitError struct {
	What string // "tags", "kinds of tags"
	Most int
	Got  int
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s: %d, at most %d", e.What, e.Got, e.Most) }

// load reads the JSON under a key into v.
func load(tx kv.Tx, key []byte, v any) error {
	b, err := tx.Get(key)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return &kv.CorruptError{Path: string(key), Reason: err.Error()}
	}
	return nil
}

// save writes v as JSON under a key.
func save(tx kv.Tx, key []byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Put(key, b)
}

// ReusedKeyError says that an idempotency key came before with another input.
type ReusedKeyError struct{ Key string }

func (e *ReusedKeyError) Error() string {
	return fmt.Sprintf("idempotency key %q: used before with another input", e.Key)
}

// receipt is what is kept of a call that had an idempotency key.
type receipt struct {
	Digest string `json:"digest"`
	Result string `json:"result"` // a string, so that it comes back byte for byte
}

// Once runs fn unless it ran before for a user under the same key; then the
// result that it gave is returned again. A user's keys are nobody else's. digest stands for the whole input: the same key
// with another one is a ReusedKeyError. What fn writes and the receipt are one
// transaction.
func (s *Store) Once(ctx context.Context, user, key, digest string, fn func(context.Context) ([]byte, error)) ([]byte, error) {
	var result []byte
	err := s.update(ctx, func(tx kv.Tx) error {
		var r receipt
		k := append(append(binary.AppendUvarint([]byte("rk"), uint64(len(user))), user...), key...)
		switch err := load(tx, k, &r); {
		case err == nil && r.Digest != digest:
			return &ReusedKeyError{key}
		case err == nil:
			result = []byte(r.Result)
			return nil
		case !errors.Is(err, kv.ErrNotFound):
			return err
		}
		var err error
		if result, err = fn(context.WithValue(ctx, txKey{}, tx)); err != nil {
			return err
		}
		return save(tx, k, receipt{digest, string(result)})
	})
	return result, err
}

// Info tells what the engine keeps, and how many memos.
func (s *Store) Info(ctx context.Context) (kv.Info, Counts, error) {
	var counts Counts
	err := s.view(ctx, func(tx kv.Tx) (err error) {
		counts, err = loadCounts(tx)
		return err
	})
	if err != nil {
		return kv.Info{}, Counts{}, err
	}
	info, err := s.engine.Info(ctx)
	return info, counts, err
}

// Compact rewrites the store in its smallest form.
func (s *Store) Compact(ctx context.Context) error { return s.engine.Compact(ctx) }
