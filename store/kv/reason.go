package kv

import (
	"errors"
	"fmt"
)

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
