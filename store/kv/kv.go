// Package kv defines techo's storage engine, an ordered key space with serializable
// transactions, and the errors of engines. Package folder has the engine of one machine, package pg
// that of a team.
//
// The [Engine] interface is limited to operations that an embedded store and a
// distributed SQL database both support well. What only some engines can do has an
// interface of its own: [Checker], [Compacter], [Migrater], [Clock], [Marker], [Folder].
// Package kvtest has the tests that every engine passes.
package kv

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"
)

// Limits of every engine, in bytes.
const (
	MaxKey   = 1 << 10
	MaxValue = 8 << 20
)

// Engine is an ordered key space. Its methods may be called concurrently, and
// several processes may open the same space.
//
// The functions that are passed to View, Update and Group may run more than once: after
// a lost connection, for example. Each run must set its results anew and change nothing
// else. Only the function of Snapshot runs once.
//
// Besides the errors of these functions, a method fails with one of the errors below,
// or with a [BusyError], [ContentionError] or [UnavailableError], which a later call may
// not meet, or with an [UnknownOutcomeError].
type Engine interface {
	// View runs fn on a consistent state.
	View(ctx context.Context, fn func(Tx) error) error

	// Snapshot is a View for long reads: it does not block writers, and fn does not
	// see their writes.
	Snapshot(ctx context.Context, fn func(Tx) error) error

	// Update runs fn and makes its writes durable. On an error none of them is kept.
	// Updates run one after the other. One that begins with the context of a running one, for
	// which it would wait, fails with ErrNested.
	Update(ctx context.Context, fn func(Tx) error) error

	// Group runs fn. Updates with fn's context see each other's writes at once and
	// become durable together after fn has returned. On an error none of them is kept.
	Group(ctx context.Context, fn func(context.Context) error) error

	// Info returns figures about the store.
	Info(ctx context.Context) (Info, error)

	Close() error
}

// Checker is an engine that can check more than its present records.
type Checker interface {
	// Check reads everything in the store, also what newer records hide, from the disk
	// where the system allows it. It returns the number of tables and calls progress
	// with the number of bytes read so far.
	Check(ctx context.Context, progress func(done int64)) (tables int, err error)
}

// Compacter is an engine that can rewrite its store in its smallest form.
type Compacter interface {
	Compact(ctx context.Context) error
}

// Migrater is an engine whose store is prepared, and brought to a new format, by a
// command of the person only.
type Migrater interface {
	// Migrate returns the format before, 0 for a place without a store, and after.
	Migrate(ctx context.Context) (from, to int, err error)
}

// Clock is an engine with a clock of its own, which all machines that use it share.
type Clock interface {
	// SyncClock asks for the time unless that is known. Transactions do it as well.
	SyncClock(ctx context.Context) error

	// Now returns the time of the clock, to the length of a round trip. ok is false
	// while it is not known.
	Now() (now time.Time, ok bool)
}

// Marker is an engine that can be asked whether its store has changed.
type Marker interface {
	// Mark returns a value that differs from earlier ones after any machine has written to
	// the store. It takes one round trip and conflicts with no transaction.
	Mark(ctx context.Context) (string, error)
}

// Folder is an engine whose store is a folder, where other files can be kept as well.
type Folder interface {
	Folder() string
}

// Tx is a transaction. Neither side may change keys and values that were passed;
// values from a Tx are valid until it ends.
type Tx interface {
	// Context returns the context of the transaction, for calls within it: an Update or a Group
	// that begins with the context of an Update fails with ErrNested.
	Context() context.Context

	// Get returns the value under key, or ErrNotFound.
	Get(key []byte) ([]byte, error)

	// ReadMany returns the values under keys, in their order, and the items of ranges, as Collect
	// does. A key without a value has nil; an empty value is not nil. An engine on another machine
	// reads all of them in one round trip, as far as the ranges have limits and their values are
	// small.
	ReadMany(keys [][]byte, ranges []Range) (values [][]byte, items [][]Pair, err error)

	Put(key, value []byte) error
	Delete(key []byte) error

	// Scan yields the keys of a range in byte order. The transaction must not write
	// during a scan.
	Scan(Range) iter.Seq2[Item, error]
}

// GetMany is ReadMany for keys alone.
func GetMany(tx Tx, keys [][]byte) ([][]byte, error) {
	values, _, err := tx.ReadMany(keys, nil)
	return values, err
}

// Keeper is a transaction of an engine far away, which keeps values for later transactions of its process.
type Keeper interface {
	// Keeps reports whether it can.
	Keeps() bool

	// Kept returns the values under keys that were kept of an area in a state, and the places of
	// those that were not. The value of a key without one is nil.
	Kept(area []byte, state string, keys [][]byte) (values [][]byte, unknown []int)

	// Keep keeps values, which nobody may change. It drops what was kept of the area in another state.
	Keep(area []byte, state string, keys, values [][]byte)
}

// Keeps reports whether a transaction is a Keeper that can.
func Keeps(tx Tx) bool {
	k, ok := tx.(Keeper)
	return ok && k.Keeps()
}

// ErrNested is returned for a write transaction that begins inside another one, for which it
// would wait.
var ErrNested = errors.New("store: a write transaction inside another one")

// updating is the key, in a context, of a running Update of an engine.
type updating struct{ engine Engine }

// Updating returns the context of an Update of an engine.
func Updating(ctx context.Context, e Engine) context.Context {
	return context.WithValue(ctx, updating{e}, true)
}

// IsUpdating reports whether a context belongs to an Update of an engine.
func IsUpdating(ctx context.Context, e Engine) bool { return ctx.Value(updating{e}) != nil }

// Peeker is a transaction that can return a value where it is, without a copy.
type Peeker interface {
	// Peek returns the value under key, or ErrNotFound.
	Peek(key []byte) ([]byte, error)

	// Peeks reports whether it can.
	Peeks() bool
}

// Peeks reports whether Peek returns values where they are, so that to read many at once saves nothing.
func Peeks(tx Tx) bool {
	p, ok := tx.(Peeker)
	return ok && p.Peeks()
}

// Peek is Get for a value that is decoded before the transaction ends, and not written
// under another key.
func Peek(tx Tx, key []byte) ([]byte, error) {
	if p, ok := tx.(Peeker); ok {
		return p.Peek(key)
	}
	return tx.Get(key)
}

// PeekMany is GetMany for values that are decoded before the transaction ends, and not written to. Where Peeks is true
// they are not copied.
func PeekMany(tx Tx, keys [][]byte) ([][]byte, error) {
	if !Peeks(tx) {
		return GetMany(tx, keys)
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, err := Peek(tx, key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// Range is a range of adjacent keys.
type Range struct {
	Prefix  []byte // only keys with this prefix
	From    []byte // start at this key or the next one in the range; nil means its first key (Reverse: its last)
	To      []byte // end before this key; nil means the end of the range
	Reverse bool   // descending order

	Limit    int  // end after as many keys; 0 means all
	KeysOnly bool // most values are not read: an engine need not fetch them with the keys
}

// Ends reports whether a scan that has reached a key ends before it because of To.
func (r Range) Ends(key []byte) bool {
	if r.To == nil {
		return false
	}
	order := bytes.Compare(key, r.To)
	return order == 0 || r.Reverse == (order < 0)
}

// Successor returns the first key above all keys with a prefix, or nil when no key
// is above them.
func Successor(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			s := bytes.Clone(prefix[:i+1])
			s[i]++
			return s
		}
	}
	return nil
}

// Item is a key of a scan, with its value. The key is valid until the next step of the scan.
type Item struct {
	Key []byte
	Source
}

// Source reads the value of an item.
type Source interface {
	Value() ([]byte, error)

	// Peek is Value for a value that is decoded before the next step of the scan.
	Peek() ([]byte, error)
}

// SourceFunc is a Source that copies the value in any case.
type SourceFunc func() ([]byte, error)

// Value implements Source.
func (f SourceFunc) Value() ([]byte, error) { return f() }

// Peek implements Source.
func (f SourceFunc) Peek() ([]byte, error) { return f() }

// Pair is a key of a scan with its value. The key is valid until the next step.
type Pair struct{ Key, Value []byte }

// Pairs scans a range and reads all its values. An error ends the scan.
func Pairs(tx Tx, r Range) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		for item, err := range tx.Scan(r) {
			var value []byte
			if err == nil {
				value, err = item.Value()
			}
			if !yield(Pair{item.Key, value}, err) || err != nil {
				return
			}
		}
	}
}

// Collect returns the items of a scan of a range. They have no values if the range is of keys only.
func Collect(items iter.Seq2[Item, error], r Range) (all []Pair, err error) {
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		p := Pair{Key: bytes.Clone(item.Key)}
		if !r.KeysOnly {
			if p.Value, err = item.Value(); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// Info holds the figures that `techo store info` prints.
type Info struct {
	Engine       string
	Path         string
	ID           string // "" for a store without one
	Format       int    // version of the format
	Namespace    string // in a database, which has none of the following but Bytes; "" for a folder
	Generation   int64  // number of compactions
	JournalBytes int64
	JournalTxns  int64 // transactions in the journal
	Tables       int
	TableBytes   int64
	Files        int // all files of the store
	Bytes        int64
}

// Waiting is the time that a transaction has waited: for a connection, or for others. An engine
// may begin a transaction only when its function reads, so the time before does not tell.
type Waiting struct{ nanoseconds atomic.Int64 }

// Take returns the time since the last call.
func (w *Waiting) Take() time.Duration { return time.Duration(w.nanoseconds.Swap(0)) }

type waitingKey struct{}

// WithWaiting returns a context with which engines add to w.
func WithWaiting(ctx context.Context, w *Waiting) context.Context {
	return context.WithValue(ctx, waitingKey{}, w)
}

// AddWaiting adds the time since a moment to the Waiting of a context, if it has one.
func AddWaiting(ctx context.Context, since time.Time) {
	if w, ok := ctx.Value(waitingKey{}).(*Waiting); ok {
		w.nanoseconds.Add(int64(time.Since(since)))
	}
}
