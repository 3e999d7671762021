// Package history lists, shows, undoes and purges the changes that the ledger has recorded. It knows no
// kind of record.
package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

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
	Memo         string                   // with About: the name of a memo, of which the last that had it is found too
	Limit        int                      // of changes; of the records of a change that is shown, 0 means all
	Offset       int                      // of the records of a change that is shown
	Before       uint64                   // only changes with lower ids; 0 means all

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

// ListedChange is a change. In a list it has its first record only.
type ListedChange struct {
	ledger.Change
	Changed int    // number of its records
	Title   string // name, title, caption or text of the first record; "" when unknown
}

// History is the history of changes of a store.
type History struct{ store *ledger.Ledger }

// Of returns the history of a store.
func Of(s *ledger.Ledger) History { return History{s} }

// List returns a part of the history.
func (h History) List(ctx context.Context, f Filter) (page Page, err error) {
	err = h.store.View(ctx, func(tx *ledger.Tx) error {
		found, memo, err := f.find(tx)
		if memo != "" && !slices.Contains(f.About, memo) { // newer changes may have it, too
			again := f
			again.About, again.Memo = append(slices.Clip(f.About), memo), ""
			found, _, err = again.find(tx)
		}
		if err == nil {
			err = setUndone(tx, found.Changes)
		}
		if err != nil {
			return err
		}
		page = found
		return setTitles(tx, page.Changes)
	})
	return page, err
}

// find returns the part of the history without titles, and the id of the last memo that had the name. It reads no
// further than the page if the counts of the history tell the total.
func (f Filter) find(tx *ledger.Tx) (page Page, memo string, err error) {
	r := kv.Range{Prefix: ledger.HistoryChanges.All(), Reverse: true}
	total, of, counted, err := f.total(tx)
	if err != nil || counted && total == 0 {
		return page, "", err
	}
	if counted {
		page.Total = total
		if f.Before != 0 {
			r.From = ledger.ChangeKey(f.Before - 1)
		}
		if total == of { // so the next ones are the page
			r.Limit = f.Limit + 1
		}
	}
	sought, err := f.soughtMemo()
	if err != nil {
		return page, "", err
	}
	err = eachStored(tx, r, func(s stored) error {
		has := false
		if len(f.About) > 0 {
			var err error
			if has, err = f.look(tx, s, &sought); err != nil {
				return err
			}
		}
		selected, err := f.selects(s, has)
		if err != nil || !selected {
			return err
		}
		if !counted {
			page.Total++
		}
		switch {
		case f.Before != 0 && s.ID >= f.Before:
		case len(page.Changes) < f.Limit:
			c, records, err := s.First()
			if page.Changes = append(page.Changes, ListedChange{Change: c, Changed: records}); err != nil {
				return err
			}
		case page.Next == 0:
			page.Next = page.Changes[len(page.Changes)-1].ID
		}
		if counted && (page.Next != 0 || len(page.Changes) == total) {
			return ledger.ErrStop
		}
		return nil
	})
	return page, sought.id, err
}

// total returns how many of all changes the filter selects. counted is false if only the changes themselves tell.
func (f *Filter) total(tx *ledger.Tx) (n, of int, counted bool, err error) {
	if len(f.About) > 0 || !f.Since.IsZero() || !f.Until.IsZero() {
		return 0, 0, false, nil
	}
	counts, err := tx.LoadHistoryCounts()
	if err != nil {
		return 0, 0, false, err
	}
	if f.Visible != nil && (f.Family == "" || f.Family == ledger.FilesFamily) {
		if files, _ := counts.Seen(f.Owner, ledger.FilesFamily); files > 0 {
			return 0, 0, false, nil
		}
	}
	n, counted = counts.Seen(f.Owner, f.Family)
	return n, counts.Changes, counted, nil
}

// soughtMemo is a memo that had a name.
type soughtMemo struct {
	letter byte   // of the kind memo in the history
	name   string // "" for none
	json   []byte // the name as a memo has it
	id     string // "" until it is found
}

func (f *Filter) soughtMemo() (m soughtMemo, err error) {
	m.letter = ledger.KindLetters[ledger.KindMemo]
	if m.name = norm.NFC.String(f.Memo); m.name == "" {
		return m, nil
	}
	b, err := ledger.Encode(m.name)
	if err == nil {
		m.json = b[1 : len(b)-1]
	}
	return m, err
}

// look reports whether a change has one of the records that are asked for, and looks for the memo: the last one that had the
// name.
func (f *Filter) look(tx *ledger.Tx, s stored, memo *soughtMemo) (has bool, err error) {
	had, has, err := s.Look(memo.letter, f.About)
	if err == nil && had && memo.name != "" && memo.id == "" && s.MayContain(memo.json) {
		memo.id, err = memoNamed(tx, s.ID, memo.name)
	}
	return has, err
}

// setUndone notes by which changes the listed ones were undone.
func setUndone(tx *ledger.Tx, page []ListedChange) error {
	keys := make([][]byte, len(page))
	for i := range page {
		keys[i] = ledger.UndoneKey(page[i].ID)
	}
	values, err := tx.GetMany(keys)
	for i, by := range values {
		if by != nil {
			page[i].UndoneBy, _ = ledger.CutNumber(by)
		}
	}
	return err
}

// stored is a change as the store has it. It is valid until the next one is read.
type stored struct {
	ledger.PeekedChange
	key, value []byte
}

// eachStored calls use for the changes of a range. A change of an import has many thousand records, and most of the
// history is not shown: use decodes what it needs.
func eachStored(tx *ledger.Tx, r kv.Range, use func(stored) error) error {
	for item, err := range tx.Scan(r) {
		if err != nil {
			return err
		}
		value, err := item.Peek()
		if err != nil {
			return err
		}
		s := stored{key: item.Key, value: value}
		if s.PeekedChange, err = ledger.PeekChange(s.key, s.value); err == nil {
			err = use(s)
		}
		if errors.Is(err, ledger.ErrStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// selects reports whether the filter selects a change. has says that the change has one of the records that are asked for.
func (f *Filter) selects(s stored, has bool) (bool, error) {
	switch {
	case len(s.Owner()) > 0 && !ledger.SameUser(string(s.Owner()), f.Owner),
		f.Family != "" && s.Family() != f.Family,
		!f.Since.IsZero() && s.At.Before(f.Since), !f.Until.IsZero() && !s.At.Before(f.Until),
		len(f.About) > 0 && !has:
		return false, nil
	case f.Visible == nil, len(f.About) == 0 && s.FirstKind() != ledger.KindFile: // it looks at files
		return true, nil
	}
	c, err := ledger.DecodeChange(s.key, s.value)
	return err == nil && f.sees(c), err
}

// setTitles sets the titles of changes. A title may be in a newer change of the record.
func setTitles(tx *ledger.Tx, page []ListedChange) error {
	var firsts []ledger.Change
	for _, c := range page {
		if !c.Records[0].Existed { // else the change has it
			firsts = append(firsts, c.Change)
		}
	}
	newer, err := newerThan(tx, firsts...)
	if err != nil {
		return err
	}
	for i := range page {
		if page[i].Title, err = newer.of(page[i].Change); err != nil {
			return err
		}
	}
	return nil
}

// sees reports whether the user who asks may see a change.
func (f *Filter) sees(c ledger.Change) bool {
	return (c.Owner == "" || ledger.SameUser(c.Owner, f.Owner)) && (f.Visible == nil || f.Visible(c))
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
