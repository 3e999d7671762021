package kv

import (
	"errors"
	"fmt"
	"time"

	"techo/store/kv/fault"
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
	return e.Reason == RefusedSpace && target == fault.ErrNoSpace
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
