package kv

import (
	"errors"
	"fmt"
	"time"
)

// ErrClosed is returned for a call after Close.
var ErrClosed = errors.New("store: closed")

// TooLargeError is returned for a key or a value that exceeds its limit.
type TooLargeError struct {
	What      string // "key" or "value"
	Size, Max int    // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: %d bytes, at most %d", e.What, e.Size, e.Max)
}

// ContentionError is returned when others wrote to the store of a server all the time.
// Nothing was changed; a later call may succeed.
type ContentionError struct {
	Waited time.Duration
	Err    error // of the last attempt
}

func (e *ContentionError) Error() string {
	return fmt.Sprintf("store: others have written for %s: %v", e.Waited.Round(time.Second/10), e.Err)
}

// Unwrap returns the cause.
func (e *ContentionError) Unwrap() error { return e.Err }

// UnavailableError is returned when the server of the store cannot be reached or
// does not work. Nothing was changed; a later call may succeed.
type UnavailableError struct {
	Server string // without a password
	Err    error
}

func (e *UnavailableError) Error() string { return fmt.Sprintf("store: %s: %v", e.Server, e.Err) }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// UnknownOutcomeError is returned when the connection to the server of the store was
// lost during a commit and the outcome could not be found out. The writes are kept
// completely or not at all.
type UnknownOutcomeError struct {
	Server string // without a password
	Err    error
}

func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("store: %s: the outcome of a commit is unknown: %v", e.Server, e.Err)
}

// Unwrap returns the cause.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// RefusedError is returned when the server of the store refuses the caller or what it
// asked for.
type RefusedError struct {
	Server string // without a password
	Reason Refusal
	Err    error // of the server or the connection
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("store: %s: %s: %v", e.Server, e.Reason, e.Err)
}

// Is lets a full disk of the server be ErrNoSpace too.
func (e *RefusedError) Is(target error) bool {
	return e.Reason == RefusedSpace && target == ErrNoSpace
}

// Refusal is the reason of a RefusedError.
type Refusal string

// The reasons.
const (
	RefusedLogin      Refusal = "login"      // user, password or certificate
	RefusedDatabase   Refusal = "database"   // there is no such database
	RefusedPermission Refusal = "permission" // the role may not read or write the tables
	RefusedReadOnly   Refusal = "read-only"  // the server takes no writes, as a standby does
	RefusedSpace      Refusal = "space"      // the disk of the server is full
	RefusedTLS        Refusal = "tls"        // the server offers no TLS, or its certificate is not the right one
)

// ConnectionsError is returned when the server of the store, or this process, has no
// connection left. Nothing was changed; a later call may succeed.
type ConnectionsError struct {
	Server string // without a password
	Err    error
}

func (e *ConnectionsError) Error() string { return fmt.Sprintf("store: %s: %v", e.Server, e.Err) }

// Unwrap returns the cause.
func (e *ConnectionsError) Unwrap() error { return e.Err }

// SlowError is returned when a statement took too long. Nothing was changed; a later
// call may succeed.
type SlowError struct {
	Server string // without a password
	Err    error
}

func (e *SlowError) Error() string { return fmt.Sprintf("store: %s: %v", e.Server, e.Err) }

// Unwrap returns the cause.
func (e *SlowError) Unwrap() error { return e.Err }

// AddressError is returned for an address that cannot be used.
type AddressError struct {
	Address string // without a password
	Setting string // that is invalid; "" for the whole address
	Unknown bool   // there is no such setting
	Err     error  // of a file that the address names, or of the server; or nil
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("store: address %s: invalid %s", e.Address, e.Setting)
}

// NotMigratedError is returned for a database without the tables of a store, or with
// tables of an earlier format.
type NotMigratedError struct {
	Server        string // without a password
	Found, Needed int    // formats; Found is 0 without tables
}

func (e *NotMigratedError) Error() string {
	return fmt.Sprintf("store: %s: format %d, needs %d", e.Server, e.Found, e.Needed)
}

// UnfinishedError is returned for a store in a database that a copy is filling, or has left
// incomplete.
type UnfinishedError struct{ Server string } // without a password

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("store: %s: an unfinished copy", e.Server)
}

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

// ReasonCode is a kind of damage. It is also the English text, with verbs of package
// fmt for the arguments of a Reason. The package that speaks to the caller translates
// it.
type ReasonCode string

// The kinds of damage of a file.
const (
	Missing          ReasonCode = "missing"
	NotFile          ReasonCode = "not a file"
	CutOff           ReasonCode = "cut off at byte %d"
	CutOffOf         ReasonCode = "cut off at byte %d of %d"
	TooLong          ReasonCode = "too long by %d B"
	WrongSize        ReasonCode = "its size is %d, not %d"
	WrongChecksum    ReasonCode = "wrong checksum"
	UnreadablePieces ReasonCode = "unreadable pieces of 4 KiB: %d"
	Incomplete       ReasonCode = "the backup is damaged or incomplete"
	OtherDamage      ReasonCode = "%v" // an error of a library
)

// The kinds of damage of the journal.
const (
	DamagedHeader       ReasonCode = "header %d is damaged"
	DamagedTransaction  ReasonCode = "damaged transaction: number %d of %d, at byte %d"
	MissingBesideTables ReasonCode = "missing, while there are tables"
	MissingAfterWrites  ReasonCode = "missing, although the store was written to"
	LostSinceMerge      ReasonCode = "the transactions since the last merge are lost; their records are unknown"
	LostTransactions    ReasonCode = "lost transactions: %d"
	DamagedBefore       ReasonCode = "damaged transactions: %d, before number %d"
	DamagedLast         ReasonCode = "damaged transactions at the end: %d"
	UnnamedTransactions ReasonCode = "damaged transactions: %d, from number %d to %d; only readable records are named"
	OlderThanJournal    ReasonCode = "older than the journal"
	GenerationMismatch  ReasonCode = "of generation %d, while the journal has generation %d"
	NotManifest         ReasonCode = "not a manifest of Badger 4"
	ChangedByOther      ReasonCode = "another program has changed it"
	WrittenByOther      ReasonCode = "another program has written it"
	UndescribedTable    ReasonCode = "no description of table %d"
	CopyUsed            ReasonCode = "%v; its copy was used"
	DeletedMayReturn    ReasonCode = "%v; deleted records may be back"
	SeveralVersions     ReasonCode = "in the manifest: a run with several versions"
	OldRunNewVersion    ReasonCode = "in the manifest: an older run with a newer version"
	RunsOutOfOrder      ReasonCode = "in the manifest: keys out of order"
)

// The kinds of damage of a table.
const (
	RecordsLost        ReasonCode = "%v: its records are lost"
	DamagedIndex       ReasonCode = "the index is damaged"
	DamagedBlock       ReasonCode = "a block is damaged"
	DamagedBetween     ReasonCode = "a block is damaged: records between %q and %q"
	DamagedBetweenRead ReasonCode = "a block is damaged: records between %q and %q; all of them were read"
	WrongVersion       ReasonCode = "key %q has version %d instead of %d"
	WrittenWrongly     ReasonCode = "the new table differs from what was written"
)

// Reason describes one damage.
type Reason struct {
	Code ReasonCode
	Args []any // numbers, texts, errors or other Reasons
}

// Error returns the reason in English.
func (r Reason) Error() string { return fmt.Sprintf(string(r.Code), r.Args...) }

func Because(code ReasonCode, args ...any) Reason { return Reason{code, args} }

func Corrupt(path string, code ReasonCode, args ...any) error {
	return &CorruptError{path, Because(code, args...)}
}

// ReasonOf returns the reason of an error of this package, or the error itself as the
// argument of OtherDamage.
func ReasonOf(err error) Reason {
	if e := new(CorruptError); errors.As(err, &e) {
		return e.Reason
	}
	if r := (Reason{}); errors.As(err, &r) {
		return r
	}
	return Because(OtherDamage, err)
}
