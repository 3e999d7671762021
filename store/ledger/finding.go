package ledger

import (
	"fmt"

	"techo/store/kv"
)

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
