// Package fault has the errors of the files of a store: damage, with its reasons, a newer format, a
// lock that others hold, a full disk.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// ErrNoSpace is returned when the disk or a quota is full. Nothing was changed.
var ErrNoSpace = errors.New("store: no space left")

// ErrGone is returned when the store's folder, or its lock or journal, was removed
// or replaced during a call. A write was not kept.
var ErrGone = errors.New("store: its folder was removed or replaced meanwhile; nothing was kept")

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

func IsCorrupt(err error) bool { return errors.As(err, new(*CorruptError)) }

// NetworkError is returned for a store on a network file system, where locks and
// syncs may not work as documented and two machines could write at once.
type NetworkError struct {
	Path string
	Kind string // "nfs", …
}

func (e *NetworkError) Error() string {
	return fmt.Sprintf("%s: on a network file system (%s)", e.Path, e.Kind)
}

// ErrNotFound is returned for a key without a value.
var ErrNotFound = errors.New("key: not found")
