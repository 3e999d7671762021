// Package kv is techo's engine: an ordered space of keys with serializable
// transactions, and nothing more.
//
// The interface holds what an embedded tree and a distributed SQL database
// both do well, so that another engine can stand behind the same door. The
// engine here is [Local], one folder on one machine.
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

// ErrNotFound says that no value is kept under a key.
var ErrNotFound = errors.New("key: not found")

// ErrNoSpace says that the disk or the quota is full. Nothing was changed.
var ErrNoSpace = errors.New("store: no space left")

// ErrClosed says that the engine was used after Close.
var ErrClosed = errors.New("store: closed")

// Engine is an ordered key space. Its methods may be called at once from
// several goroutines, and several processes may have the same space open.
type Engine interface {
	// View runs fn on one consistent state.
	View(ctx context.Context, fn func(Tx) error) error

	// Snapshot is a View for long reads: others may write meanwhile, and fn
	// does not see it.
	Snapshot(ctx context.Context, fn func(Tx) error) error

	// Update runs fn and makes what it wrote durable, all of it or, when an
	// error comes back, none. Updates are serializable. fn may be run more
	// than once, so it changes nothing but the transaction and its own results.
	Update(ctx context.Context, fn func(Tx) error) error

	// Group runs fn, whose Updates see each other at once but are made durable
	// together, by one sync when fn has returned. An error means that none of
	// them was kept.
	Group(ctx context.Context, fn func(context.Context) error) error

	// Info tells what the engine keeps.
	Info(ctx context.Context) (Info, error)

	// Check reads all that the engine keeps, also what newer records hide, from
	// the disk itself where the system allows it. It returns how many tables
	// there were; progress is told how many bytes were read.
	Check(ctx context.Context, progress func(done int64)) (tables int, err error)

	// Compact rewrites what is kept in its smallest form.
	Compact(ctx context.Context) error

	Close() error
}

// Tx is one transaction. Keys and values that it takes or gives must not be
// changed by either side, and those that it gives are valid until it ends.
type Tx interface {
	// Get returns the value under key, or ErrNotFound.
	Get(key []byte) ([]byte, error)
	Put(key, value []byte) error
	Delete(key []byte) error

	// Scan yields the keys of a range in byte order. The transaction must not
	// be written to while a scan of it goes on.
	Scan(Range) iter.Seq2[Item, error]
}

// Range is a run of neighbouring keys.
type Range struct {
	Prefix  []byte // keys that begin with it
	From    []byte // begin at this key, or at the next that is there; nil is the range's first (Reverse: last)
	Reverse bool   // from the last key to the first
}

// Item is one key of a scan. The key is valid until the scan moves on.
type Item struct {
	Key   []byte
	value func() ([]byte, error)
}

// Value reads the item's value.
func (i Item) Value() ([]byte, error) { return i.value() }

// Info is what `techo store info` tells of an engine.
type Info struct {
	Engine       string
	Path         string
	Format       int   // version of the format on disk
	Generation   int64 // times that the journal was merged into the tables
	JournalBytes int64
	JournalTxns  int64 // transactions in the journal
	Tables       int
	TableBytes   int64
	Files        int // all files of the store
	Bytes        int64
}

// BusyError says that another process held the store past the deadline.
type BusyError struct {
	PID     int    // 0 when it could not be found out
	Command string // "" when it could not be found out
	Waited  time.Duration
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

// CorruptError says that the store does not read back as it was written.
type CorruptError struct {
	Path   string
	Reason string
}

func (e *CorruptError) Error() string { return e.Path + ": " + e.Reason }

// VersionError says that a newer techo wrote the store.
type VersionError struct {
	Path         string
	Found, Known int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s: format %d, this techo knows formats up to %d", e.Path, e.Found, e.Known)
}

// NotFolderError says that something else than a folder lies where the store
// should be.
type NotFolderError struct{ Path string }

func (e *NotFolderError) Error() string { return e.Path + ": not a folder" }

// TooLargeError says that a key or a value is over its limit.
type TooLargeError struct {
	What       string // "key" or "value"
	Size, Most int    // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: %d bytes, at most %d", e.What, e.Size, e.Most)
}
