package store

import (
	"context"
	"errors"
	"fmt"
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

func (l HistoryLimits) withDefaults() HistoryLimits {
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
}

// writing has the options of the writes of a context.
type writing struct {
	origin     Origin
	undoes     uint64       // the change at a service that the writes undo, or 0
	part       bool         // they undo a part of it
	unrecorded bool         // they are no changes of a user
	purge      *purgeReport // they leave no trace of removed records; or nil
}

// writingKey is the context key of a writing.
type writingKey struct{}

func writingOf(ctx context.Context) writing {
	w, _ := ctx.Value(writingKey{}).(writing)
	return w
}

// withWriting returns a context with changed options.
func withWriting(ctx context.Context, change func(*writing)) context.Context {
	w := writingOf(ctx)
	change(&w)
	return context.WithValue(ctx, writingKey{}, w)
}

// WithOrigin returns a context whose writes are recorded in the history with an
// origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return withWriting(ctx, func(w *writing) { w.origin = o })
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

// withoutHistory returns a context for repairs, which are no changes of a user.
func withoutHistory(ctx context.Context) context.Context {
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

	length int // bytes of the previous values as stored
	size   int // bytes of all keys and values of the change
}

// ChangedRecord is a record in a Change.
type ChangedRecord struct {
	Kind      Kind
	ID        string // path of a file
	Existed   bool   // before the change
	Exists    bool   // after the change
	Elsewhere bool   // an event at a service, which the store does not have

	before []byte // previous value (history_value.go); nil if it did not exist
	after  uint64 // digest of the value after the change
	later  []byte // the value after the change of a record elsewhere
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

// families maps the kinds of records in the history to families of tools.
var families = map[Kind]string{
	KindMemo: "memo", KindMemory: "memory", KindEvent: "calendar", KindTodo: "calendar", KindQuestion: "ask",
	KindFile: "files", KindSpace: "space", KindCalendar: "calendar",
}

// HistoryFilter selects changes.
type HistoryFilter struct {
	Owner        string            // user who asks: the memories of others stay hidden
	Visible      func(Change) bool // nil means all
	Family       string            // "" means all
	Since, Until time.Time         // zero is unlimited
	About        []string          // ids of records, nil means all
	Limit        int
	Before       uint64 // only changes with lower ids; 0 means all

	// Undoable reports whether the user may undo a change, as far as the caller knows; nil
	// means all. It counts for undoing without an id.
	Undoable func(Change) bool
}

// HistoryPage is a part of the history, the newest change first.
type HistoryPage struct {
	Changes []ListedChange
	Total   int    // of all changes that the filter selects, whatever Before is
	Next    uint64 // Before for the next page, or 0
}

// ListedChange is a change in a list.
type ListedChange struct {
	Change
	Title string // name, title, caption or text of the first record; "" when unknown
}

// History is the history of changes of a store.
type History struct{ store *Store }

// HistoryOf returns the history of a store.
func HistoryOf(s *Store) History { return History{s} }

// List returns a part of the history.
func (h History) List(ctx context.Context, f HistoryFilter) (page HistoryPage, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		page = HistoryPage{}
		newer := newNewerChanges(tx)
		return scanChanges(tx, 0, func(c Change) error {
			selected := f.selects(c)
			if selected {
				page.Total++
			}
			switch {
			case !selected:
			case f.Before != 0 && c.ID >= f.Before:
			case len(page.Changes) < f.Limit:
				title, err := newer.of(c)
				if err != nil {
					return err
				}
				page.Changes = append(page.Changes, ListedChange{c, title})
			case page.Next == 0:
				page.Next = page.Changes[len(page.Changes)-1].ID
			}
			if page.Next == 0 { // the titles of the page depend on newer changes only
				newer.pass(c)
			}
			return nil
		})
	})
	return page, err
}

// selects reports whether the filter selects a change.
func (f *HistoryFilter) selects(c Change) bool {
	if !f.sees(c) || f.Family != "" && c.Family() != f.Family ||
		!f.Since.IsZero() && c.At.Before(f.Since) || !f.Until.IsZero() && !c.At.Before(f.Until) {
		return false
	}
	return len(f.About) == 0 || c.about(f.About)
}

// sees reports whether the user who asks may see a change.
func (f *HistoryFilter) sees(c Change) bool {
	return (c.Owner == "" || SameUser(c.Owner, f.Owner)) && (f.Visible == nil || f.Visible(c))
}

// about reports whether a change has a record with one of the ids.
func (c *Change) about(ids []string) bool {
	return slices.ContainsFunc(c.Records, func(r ChangedRecord) bool { return slices.Contains(ids, r.ID) })
}

// scanChanges calls use for the changes from the newest to the oldest that is
// greater than a number. An errStop from use ends it.
func scanChanges(tx *Tx, after uint64, use func(Change) error) error {
	undone, err := undoneChanges(tx)
	if err != nil {
		return err
	}
	return eachChange(tx, kv.Range{Prefix: historyChanges.all(), Reverse: true}, func(c Change) error {
		if c.ID <= after {
			return errStop
		}
		c.UndoneBy = undone[c.ID]
		return use(c)
	})
}

// eachChange calls use for the changes of a range, without their values. An
// errStop from use ends it.
func eachChange(tx *Tx, r kv.Range, use func(Change) error) error {
	for p, err := range kv.Pairs(tx, r) {
		if err != nil {
			return err
		}
		c, err := decodeChange(p.Key, p.Value)
		if err != nil {
			return err
		}
		if err := use(c); errors.Is(err, errStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// undoneChanges returns all changes that are undone, and by which change.
func undoneChanges(tx *Tx) (map[uint64]uint64, error) {
	all := map[uint64]uint64{}
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: historyUndone.all()}) {
		if err != nil {
			return nil, err
		}
		id, ok := cutNumber(rest(p.Key))
		by, valid := cutNumber(p.Value)
		if !ok || !valid {
			return nil, finding(Unreadable, KindChange, string(p.Key), nil)
		}
		all[id] = by
	}
	return all, nil
}

// UndoneError reports that a change is undone already.
type UndoneError struct{ ID, By uint64 }

func (e *UndoneError) Error() string {
	return fmt.Sprintf("change %s: undone by %s", ChangeID(e.ID), ChangeID(e.By))
}

// NewerChangeError reports that a record changed after the change that was to be
// undone.
type NewerChangeError struct {
	ID    uint64
	Newer uint64 // the last change of the record, 0 when unknown
	Space string // whose history has them, "" for the store itself
	Kind  Kind
	About string // id of the record
}

func (e *NewerChangeError) Error() string {
	return fmt.Sprintf("change %s: %s %s changed since", ChangeID(e.ID), e.Kind, e.About)
}

// LostPartError reports a move whose part in the history of the other place is gone.
type LostPartError struct{ ID uint64 }

func (e *LostPartError) Error() string {
	return fmt.Sprintf("change %s: its other part is gone", ChangeID(e.ID))
}

// SpaceCreatedError reports a change that created a shared space, which is not undone.
type SpaceCreatedError struct {
	ID    uint64
	Space string
}

func (e *SpaceCreatedError) Error() string {
	return fmt.Sprintf("change %s: created the space %s", ChangeID(e.ID), e.Space)
}

// LostChangeError reports a change whose previous values were not kept.
type LostChangeError struct{ ID uint64 }

func (e *LostChangeError) Error() string {
	return fmt.Sprintf("change %s: its previous values were not kept", ChangeID(e.ID))
}
