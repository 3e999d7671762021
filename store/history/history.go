// Package history lists, shows, undoes and purges the changes that the ledger has recorded. It knows no
// kind of record.
package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// Filter selects changes.
type Filter struct {
	Owner        string                   // user who asks: the memories of others stay hidden
	Visible      func(ledger.Change) bool // nil means all
	Family       string                   // "" means all
	Since, Until time.Time                // zero is unlimited
	About        []string                 // ids of records, nil means all
	Limit        int
	Before       uint64 // only changes with lower ids; 0 means all

	// Undoable reports whether the user may undo a change, as far as the caller knows; nil
	// means all. It counts for undoing without an id.
	Undoable func(ledger.Change) bool
}

// Page is a part of the history, the newest change first.
type Page struct {
	Changes []ListedChange
	Total   int    // of all changes that the filter selects, whatever Before is
	Next    uint64 // Before for the next page, or 0
}

// ListedChange is a change in a list.
type ListedChange struct {
	ledger.Change
	Title string // name, title, caption or text of the first record; "" when unknown
}

// History is the history of changes of a store.
type History struct{ store *ledger.Ledger }

// Of returns the history of a store.
func Of(s *ledger.Ledger) History { return History{s} }

// List returns a part of the history.
func (h History) List(ctx context.Context, f Filter) (page Page, err error) {
	err = h.store.View(ctx, func(tx *ledger.Tx) error {
		page = Page{}
		newer := newNewerChanges(tx)
		return scanChanges(tx, 0, func(c ledger.Change) error {
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
func (f *Filter) selects(c ledger.Change) bool {
	if !f.sees(c) || f.Family != "" && c.Family() != f.Family ||
		!f.Since.IsZero() && c.At.Before(f.Since) || !f.Until.IsZero() && !c.At.Before(f.Until) {
		return false
	}
	return len(f.About) == 0 || about(&c, f.About)
}

// sees reports whether the user who asks may see a change.
func (f *Filter) sees(c ledger.Change) bool {
	return (c.Owner == "" || ledger.SameUser(c.Owner, f.Owner)) && (f.Visible == nil || f.Visible(c))
}

// about reports whether a change has a record with one of the ids.
func about(c *ledger.Change, ids []string) bool {
	return slices.ContainsFunc(c.Records, func(r ledger.ChangedRecord) bool { return slices.Contains(ids, r.ID) })
}

// scanChanges calls use for the changes from the newest to the oldest that is
// greater than a number. An errStop from use ends it.
func scanChanges(tx *ledger.Tx, after uint64, use func(ledger.Change) error) error {
	undone, err := undoneChanges(tx)
	if err != nil {
		return err
	}
	return tx.EachChange(kv.Range{Prefix: ledger.HistoryChanges.All(), Reverse: true}, func(c ledger.Change) error {
		if c.ID <= after {
			return ledger.ErrStop
		}
		c.UndoneBy = undone[c.ID]
		return use(c)
	})
}

// undoneChanges returns all changes that are undone, and by which change.
func undoneChanges(tx *ledger.Tx) (map[uint64]uint64, error) {
	all := map[uint64]uint64{}
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: ledger.HistoryUndone.All()}) {
		if err != nil {
			return nil, err
		}
		id, ok := ledger.CutNumber(ledger.Rest(p.Key))
		by, valid := ledger.CutNumber(p.Value)
		if !ok || !valid {
			return nil, ledger.Finding(ledger.Unreadable, ledger.KindChange, string(p.Key), nil)
		}
		all[id] = by
	}
	return all, nil
}

// UndoneError reports that a change is undone already.
type UndoneError struct{ ID, By uint64 }

func (e *UndoneError) Error() string {
	return fmt.Sprintf("change %s: undone by %s", ledger.ChangeID(e.ID), ledger.ChangeID(e.By))
}

// NewerChangeError reports that a record changed after the change that was to be
// undone.
type NewerChangeError struct {
	ID    uint64
	Newer uint64 // the last change of the record, 0 when unknown
	Space string // whose history has them, "" for the store itself
	Kind  ledger.Kind
	About string // id of the record
}

func (e *NewerChangeError) Error() string {
	return fmt.Sprintf("change %s: %s %s changed since", ledger.ChangeID(e.ID), e.Kind, e.About)
}

// LostPartError reports a move whose part in the history of the other place is gone.
type LostPartError struct{ ID uint64 }

func (e *LostPartError) Error() string {
	return fmt.Sprintf("change %s: its other part is gone", ledger.ChangeID(e.ID))
}

// LostChangeError reports a change whose previous values were not kept.
type LostChangeError struct{ ID uint64 }

func (e *LostChangeError) Error() string {
	return fmt.Sprintf("change %s: its previous values were not kept", ledger.ChangeID(e.ID))
}

// Info describes the extent of the history and its limits.
type Info struct {
	ledger.HistoryCounts
	Limits ledger.HistoryLimits
}

// Info returns the extent of the history and its limits.
func (h History) Info(ctx context.Context) (info Info, err error) {
	info.Limits = h.store.History
	err = h.store.Stream(ctx, func(tx *ledger.Tx) (err error) {
		info.HistoryCounts, err = tx.LoadHistoryCounts()
		return err
	})
	return info, err
}
