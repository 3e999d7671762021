package ledger

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/store/kv"
)

// Default limits of the history.
const (
	DefaultHistoryAge   = 90 * 24 * time.Hour
	DefaultHistoryBytes = 64 << 20
)

// HistoryLimits bound the history of changes. A zero value of a field means its
// default.
type HistoryLimits struct {
	MaxAge   time.Duration // older changes are dropped
	MaxBytes int64         // the oldest changes are dropped until the others fit
	Off      bool          // record no changes
}

// WithDefaults returns the limits with the defaults for zero fields.
func (l HistoryLimits) WithDefaults() HistoryLimits {
	if l.MaxAge == 0 {
		l.MaxAge = DefaultHistoryAge
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = DefaultHistoryBytes
	}
	return l
}

// Origin describes who makes a change, and with which tool.
type Origin struct {
	Tool    string // name or command of the tool
	By      string // user
	Client  string // MCP session or HTTP client; "command" for a command line
	Session string // turn of the conversation, if the host names it

	Assurance string // of an answer or a guarded act: what shows that the person did it; else ""
}

// writing has the options of the writes of a context.
type writing struct {
	Origin     Origin
	undoes     uint64       // the change at a service that the writes undo, or 0
	part       bool         // they undo a part of it
	unrecorded bool         // they are no changes of a user
	Purge      *purgeReport // they leave no trace of removed records; or nil
}

type writingKey struct{}

func WritingOf(ctx context.Context) writing {
	w, _ := ctx.Value(writingKey{}).(writing)
	return w
}

func withWriting(ctx context.Context, change func(*writing)) context.Context {
	w := WritingOf(ctx)
	change(&w)
	return context.WithValue(ctx, writingKey{}, w)
}

// WithOrigin returns a context whose writes are recorded in the history with an
// origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return withWriting(ctx, func(w *writing) { w.Origin = o })
}

// WithUndoing returns a context whose writes undo a change at a service.
func WithUndoing(ctx context.Context, c Change) context.Context {
	return withWriting(ctx, func(w *writing) { w.undoes = c.ID })
}

// WithPartOfUndo returns a context whose writes undo a part of a change at a service. The
// change is not undone yet: the undo can be repeated.
func WithPartOfUndo(ctx context.Context, c Change) context.Context {
	return withWriting(ctx, func(w *writing) { w.undoes, w.part = c.ID, true })
}

// WithoutHistory returns a context for repairs, which are no changes of a user.
func WithoutHistory(ctx context.Context) context.Context {
	return withWriting(ctx, func(w *writing) { w.unrecorded = true })
}

// Change is one recorded change: all records that one transaction changed.
type Change struct {
	ID uint64
	Origin
	At       time.Time
	Owner    string // user whose memories changed, "" for records that all users share
	Records  []ChangedRecord
	Undoes   uint64     // the change that this one undid, or 0
	UndoneBy uint64     // the change that undid this one, or 0
	Lost     bool       // the previous values were too large to keep
	Edit     uint64     // 1 + the id of the FileEdit with the undo data of files, or 0
	Moved    ChangeLink // the change of the other space, if this one is part of a move

	Length int // bytes of the previous values as stored
	Size   int // bytes of all keys and values of the change
}

// ChangedRecord is a record in a Change.
type ChangedRecord struct {
	Kind      Kind
	ID        string // path of a file
	Existed   bool   // before the change
	Exists    bool   // after the change
	Elsewhere bool   // an event at a service, which the store does not have

	Before []byte // previous value; nil if it did not exist
	After  uint64 // digest of the value after the change
	Later  []byte // the value after the change of a record elsewhere
}

// ChangeID returns the id of a change in the form that users see.
func ChangeID(number uint64) string { return "h" + strconv.FormatUint(number, 10) }

// ChangeNumber reads an id of ChangeID.
func ChangeNumber(id string) (uint64, error) {
	digits := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "h")
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || number == 0 {
		return 0, &NotFoundError{Kind: KindChange, Name: id}
	}
	return number, nil
}

// Family returns the family of tools that the changed records belong to.
func (c *Change) Family() string {
	if len(c.Records) == 0 {
		return ""
	}
	return families[c.Records[0].Kind]
}

// WithPurge returns a context whose writes are not recorded in the history, and
// which erase the earlier changes and the receipts of the records that they
// remove or change. The erased values are in the files of the store until it is
// compacted.
func WithPurge(ctx context.Context) context.Context {
	return withWriting(ctx, func(w *writing) { w.Purge = &purgeReport{} })
}

type purgeReport struct{ Left bool }

// PurgeLeft reports whether a purge with this context has left earlier values in the history
// of a place that the user may not change.
func PurgeLeft(ctx context.Context) bool {
	report := WritingOf(ctx).Purge
	return report != nil && report.Left
}

// ChangeLink names a change in the history of another space.
type ChangeLink struct {
	Space string // "" is the store itself
	ID    uint64 // 0 is no change
}

// Elsewhere reports whether a change was made at a service that the store has no copy of.
func (c *Change) Elsewhere() bool {
	return slices.ContainsFunc(c.Records, func(r ChangedRecord) bool { return r.Elsewhere })
}

// EachChange calls use for the changes of a range, without their values. An
// errStop from use ends it.
func (tx *Tx) EachChange(r kv.Range, use func(Change) error) error {
	for p, err := range kv.Pairs(tx, r) {
		if err != nil {
			return err
		}
		c, err := DecodeChange(p.Key, p.Value)
		if err != nil {
			return err
		}
		if err := use(c); errors.Is(err, ErrStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// MaxDropped limits how many old changes one write drops or counts by owner and family, so that no write pays
// for a lowered limit, or for a new version of the program, alone.
const MaxDropped = 64

// Due reports whether there are changes beyond the limits. The last change is
// kept whatever its size.
func (c *HistoryCounts) Due(limits HistoryLimits, now time.Time) bool {
	return c.Changes > 1 && (limits.tooOld(c.Oldest, now) || c.Bytes > limits.MaxBytes)
}

func (l HistoryLimits) tooOld(at, now time.Time) bool { return now.Sub(at) > l.MaxAge }

// DropOldChanges drops the oldest changes that are too old, or too many for the
// size of the history.
func (tx *Tx) DropOldChanges(counts *HistoryCounts, limits HistoryLimits, now time.Time) error {
	if !counts.Due(limits, now) {
		return nil
	}
	var drop []Change
	bytes := counts.Bytes
	kept := false
	oldest := kv.Range{Prefix: HistoryChanges.All(), From: ChangeKey(counts.First)}
	err := tx.EachChange(oldest, func(c Change) error {
		old := limits.tooOld(c.At, now) || bytes > limits.MaxBytes
		if !old || len(drop) == MaxDropped || len(drop) == counts.Changes-1 {
			counts.First, counts.Oldest, kept = c.ID, c.At, true
			return ErrStop
		}
		bytes -= int64(c.Size)
		drop = append(drop, c)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range drop {
		if err := tx.dropChange(counts, c); err != nil {
			return err
		}
	}
	if !kept {
		counts.First = counts.Last
	}
	return nil
}

// dropChange removes a change from the history. The caller saves the counts.
func (tx *Tx) dropChange(counts *HistoryCounts, c Change) error {
	counts.drop(&c)
	keys := [][]byte{ChangeKey(c.ID), UndoneKey(c.ID)}
	for part := range c.Parts() {
		keys = append(keys, ChangePartKey(c.ID, part+1))
	}
	if dropped := tx.Ledger.Schemas.Of(c.Records[0].Kind).Dropped; dropped != nil {
		if err := dropped(tx, c); err != nil {
			return err
		}
	}
	return tx.DeleteKeys(keys)
}

// RemoveChange removes a change with a number. A missing change is no error.
func (tx *Tx) RemoveChange(id uint64) error {
	c, err := tx.loadChange(id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.DropChanges([]Change{c})
}

// DropChanges removes changes from the history.
func (tx *Tx) DropChanges(drop []Change) error {
	counts, err := tx.LoadHistoryCounts()
	if err != nil {
		return err
	}
	for _, c := range drop {
		if err := tx.dropChange(&counts, c); err != nil {
			return err
		}
	}
	return counts.Save(tx)
}
