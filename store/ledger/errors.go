package ledger

import (
	"errors"
	"fmt"

	"techo/store/kv"
)

// Feature is what some engines offer and others do not.
type Feature string

// The features.
const (
	FeatureCompaction Feature = "compaction"
	FeatureRestore    Feature = "restore"
	FeatureRescue     Feature = "rescue"
	FeatureFolder     Feature = "folder"
	FeatureMark       Feature = "mark"
)

// NoFeatureError reports that the engine of a store does not offer a feature.
type NoFeatureError struct {
	Store   string
	Feature Feature
}

func (e *NoFeatureError) Error() string { return fmt.Sprintf("store: %s: no %s", e.Store, e.Feature) }

// ChangedError reports that a record changed since the caller read it.
type ChangedError struct{ ID, Etag string }

func (e *ChangedError) Error() string { return fmt.Sprintf("%s: changed meanwhile", e.ID) }

// IgnoreMissing turns kv.ErrNotFound into no error.
func IgnoreMissing(err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	return err
}

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

// DraftError is the error of one of several drafts that are added together.
type DraftError struct {
	Index int
	Err   error
}

func (e *DraftError) Error() string { return fmt.Sprintf("draft %d: %v", e.Index, e.Err) }

// Unwrap returns the error of the draft.
func (e *DraftError) Unwrap() error { return e.Err }

// ErrStop ends an iteration early.
var ErrStop = errors.New("enough")

// ReusedKeyError reports that an idempotency key was used before with another
// input.
type ReusedKeyError struct{ Key string }

func (e *ReusedKeyError) Error() string {
	return fmt.Sprintf("idempotency key %q: used before with another input", e.Key)
}

// ErrNoSpace is returned for an operation of shared spaces elsewhere.
var ErrNoSpace = errors.New("store: not in a shared space")

// ErrOtherSpace is returned if a transaction of another space is open, which would
// write the keys of the wrong one.
var ErrOtherSpace = errors.New("store: a transaction of another space is open")

// IsFinding reports whether an error is a finding for a reason.
func IsFinding(err error, code FindingCode) bool {
	f := new(FindingError)
	return errors.As(err, &f) && f.Code == code
}

func IsMissing(err error) bool { return errors.As(err, new(*NotFoundError)) }

// FindingCode is the kind of damage of a record or an index.
type FindingCode string

// The codes of findings.
const (
	Unreadable   FindingCode = "cannot be read"
	WrongKey     FindingCode = "does not match its key"
	UnknownKey   FindingCode = "is no key of this format"
	NoRecord     FindingCode = "is in an index, but has no record"
	NoIndexEntry FindingCode = "lacks an index entry"
	WrongIndex   FindingCode = "has an index that does not match the records"
	WrongOrder   FindingCode = "has an index that is out of order"
	WrongCount   FindingCode = "has a count that does not match the records"
	NoUndoData   FindingCode = "lacks its undo data"
)

// UnknownStatus is the cause of an Unreadable question.
const UnknownStatus kv.ReasonCode = "unknown status %q"

// FindingError reports damage in a record or an index. It has no words of its
// own for users: the caller puts Code and the other fields into a language.
type FindingError struct {
	Code  FindingCode
	Kind  Kind
	ID    string // of the record, or its name or key; "" concerns all records of the kind
	Space string // the shared space that the record is in, or ""
	Cause error  // may be nil
}

func (e *FindingError) Error() string {
	text := string(e.Kind)
	if e.Space != "" {
		text = "space " + e.Space + ": " + text
	}
	if e.ID != "" {
		text += fmt.Sprintf(" %q", e.ID)
	}
	text += " " + string(e.Code)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap makes every finding a kv.CorruptError as well.
func (e *FindingError) Unwrap() error {
	return &kv.CorruptError{Path: "store", Reason: kv.Reason{Code: kv.OtherDamage, Args: []any{e}}}
}

// Finding returns a FindingError; cause may be nil.
func Finding(code FindingCode, kind Kind, id string, cause error) error {
	return &FindingError{Code: code, Kind: kind, ID: id, Cause: cause}
}

// CountError is the cause of a WrongCount.
type CountError struct{ Stored, Counted any }

func (e *CountError) Error() string { return fmt.Sprintf("%v instead of %v", e.Stored, e.Counted) }

// Miscount is the cause of a WrongCount.
func Miscount(stored, counted any) error { return &CountError{stored, counted} }

// RepairAction is a change that Doctor made to a record.
type RepairAction string

// The actions.
const (
	Dropped  RepairAction = "dropped"
	Renamed  RepairAction = "renamed"
	Untagged RepairAction = "untagged"
)
