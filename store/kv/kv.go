// Package kv implements techo's storage engine: an ordered key space with
// serializable transactions.
//
// The [Engine] interface is limited to operations that an embedded store and a
// distributed SQL database both support well. The implementation is [Local], a
// folder on one machine.
package kv

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Limits of every engine.
const (
	MaxKey   = 1 << 10 // bytes of a key
	MaxValue = 8 << 20 // bytes of a value
)

// ErrNotFound is returned for a key without a value.
var ErrNotFound = errors.New("key: not found")

// ErrNoSpace is returned when the disk or a quota is full. Nothing was changed.
var ErrNoSpace = errors.New("store: no space left")

// ErrClosed is returned for a call after Close.
var ErrClosed = errors.New("store: closed")

// ErrGone is returned when the store's folder, or its lock or journal, was removed
// or replaced during a call. A write was not kept.
var ErrGone = errors.New("store: its folder was removed or replaced meanwhile; nothing was kept")

// Engine is an ordered key space. Its methods may be called concurrently, and
// several processes may open the same space.
type Engine interface {
	// View runs fn on a consistent state.
	View(ctx context.Context, fn func(Tx) error) error

	// Snapshot is a View for long reads: it does not block writers, and fn does not
	// see their writes.
	Snapshot(ctx context.Context, fn func(Tx) error) error

	// Update runs fn and makes its writes durable. On an error none of them is kept.
	// Updates are serializable. fn may run more than once and must change nothing but
	// the transaction and its own results.
	Update(ctx context.Context, fn func(Tx) error) error

	// Group runs fn. Updates with fn's context see each other's writes at once and
	// become durable together, by one sync after fn has returned. On an error none of
	// them is kept.
	Group(ctx context.Context, fn func(context.Context) error) error

	// Info returns figures about the store.
	Info(ctx context.Context) (Info, error)

	// Check reads everything in the store, also what newer records hide, from the disk
	// where the system allows it. It returns the number of tables and calls progress
	// with the number of bytes read so far.
	Check(ctx context.Context, progress func(done int64)) (tables int, err error)

	// Compact rewrites the store in its smallest form.
	Compact(ctx context.Context) error

	Close() error
}

// Tx is a transaction. Neither side may change keys and values that were passed;
// values from a Tx are valid until it ends.
type Tx interface {
	// Get returns the value under key, or ErrNotFound.
	Get(key []byte) ([]byte, error)
	Put(key, value []byte) error
	Delete(key []byte) error

	// Scan yields the keys of a range in byte order. The transaction must not write
	// during a scan.
	Scan(Range) iter.Seq2[Item, error]
}

// Range is a range of adjacent keys.
type Range struct {
	Prefix  []byte // only keys with this prefix
	From    []byte // start at this key or the next one in the range; nil means its first key (Reverse: its last)
	Reverse bool   // descending order
}

// Item is a key of a scan. The key is valid until the next step of the scan.
type Item struct {
	Key   []byte
	value func() ([]byte, error)
}

// Value reads the item's value.
func (i Item) Value() ([]byte, error) { return i.value() }

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

// Info holds the figures that `techo store info` prints.
type Info struct {
	Engine       string
	Path         string
	ID           string // "" for a store without one
	Format       int    // version of the format on disk
	Generation   int64  // number of compactions
	JournalBytes int64
	JournalTxns  int64 // transactions in the journal
	Tables       int
	TableBytes   int64
	Files        int // all files of the store
	Bytes        int64
}

// BusyError is returned when another process held the store for too long without
// any progress.
type BusyError struct {
	PID     int           // 0 when unknown
	Command string        // "" when unknown
	Waited  time.Duration // since the last progress
}

func (e *BusyError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("pid %d", e.PID)
	}
	if e.Command != "" {
		who += " (" + e.Command + ")"
	}
	return fmt.Sprintf("store: held by %s for more than %s", who, e.Waited.Round(time.Second/10))
}

// CorruptError is returned when the store does not read back as it was written.
type CorruptError struct {
	Path   string
	Reason Reason
}

func (e *CorruptError) Error() string { return e.Path + ": " + e.Reason.Error() }

// VersionError is returned for a store that a newer techo wrote.
type VersionError struct {
	Path         string
	Found, Known int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s: format %d, this techo knows formats up to %d", e.Path, e.Found, e.Known)
}

// NotFolderError is returned when the store's path is not a folder.
type NotFolderError struct{ Path string }

func (e *NotFolderError) Error() string { return e.Path + ": not a folder" }

// TooLargeError is returned for a key or a value that exceeds its limit.
type TooLargeError struct {
	What      string // "key" or "value"
	Size, Max int    // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: %d bytes, at most %d", e.What, e.Size, e.Max)
}
