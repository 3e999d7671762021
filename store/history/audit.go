package history

import (
	"context"
	"errors"

	"techo/store/kv"
	"techo/store/ledger"
)

// audit checks the changes of the history, their values and counts.
type audit struct {
	counts      *ledger.HistoryCounts // nil before the first change
	want, found ledger.SetHash        // of the keys of further values
}

func newAudit() ledger.Audit {
	a := new(audit)
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(tx *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case ledger.HistoryChanges:
		id, _ := ledger.CutNumber(ledger.Rest(key))
		c, err := tx.LoadWholeChange(id)
		if err != nil {
			return err
		}
		if string(ledger.ChangeKey(id)) != string(key) {
			return ledger.Finding(ledger.UnknownKey, ledger.KindChange, string(key), nil)
		}
		for part := range c.Parts() {
			a.want.Add(ledger.ChangePartKey(c.ID, part+1), nil)
		}
		if a.counts == nil {
			stored, err := tx.LoadHistoryCounts()
			if err != nil {
				return err
			}
			counts := stored.Recounting()
			a.counts = &counts
		}
		a.counts.Add(&c)
		a.counts.Last = c.ID
	case ledger.HistoryParts:
		a.found.Add(key, nil)
	case ledger.HistoryUndone:
		id, ok := ledger.CutNumber(ledger.Rest(key))
		if by, valid := ledger.CutNumber(value); !ok || !valid || by <= id {
			return ledger.Finding(ledger.Unreadable, ledger.KindChange, string(key), nil)
		}
		if _, err := tx.Get(ledger.ChangeKey(id)); errors.Is(err, kv.ErrNotFound) {
			return ledger.Finding(ledger.NoRecord, ledger.KindChange, ledger.ChangeID(id), nil)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, ledger.Finding(ledger.NoUndoData, ledger.KindChange, "", nil)
	}
	stored, err := tx.LoadHistoryCounts()
	if err != nil {
		return 0, err
	}
	counted := stored.Recounting()
	if a.counts != nil {
		counted = *a.counts
	}
	if stored.Changes != counted.Changes || stored.Bytes != counted.Bytes || stored.Last < counted.Last ||
		counted.Changes > 0 && stored.First > counted.First || !stored.SameTallies(counted) {
		return 0, ledger.Finding(ledger.WrongCount, ledger.KindChange, "", ledger.Miscount(stored, counted))
	}
	return stored.Changes, nil
}

// Repair drops changes that cannot be read or lack values, values
// without their change, and rebuilds the counts.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		counts, err := tx.LoadHistoryCounts()
		if err != nil {
			counts = ledger.HistoryCounts{}
		}
		repairs = nil
		fresh := ledger.HistoryCounts{Last: counts.Last}
		needed := map[string]bool{} // keys of further values and marks
		var drop [][]byte
		err = tx.ScanPrefixes([]ledger.Prefix{ledger.HistoryChanges}, func(key, _ []byte) error {
			id, _ := ledger.CutNumber(ledger.Rest(key))
			c, err := tx.LoadWholeChange(id)
			if err == nil && string(ledger.ChangeKey(id)) != string(key) {
				err = ledger.Finding(ledger.UnknownKey, ledger.KindChange, string(key), nil)
			}
			if err != nil {
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindChange, ledger.ChangeID(id), err))
				drop = append(drop, key)
				return nil
			}
			for part := range c.Parts() {
				needed[string(ledger.ChangePartKey(id, part+1))] = true
			}
			needed[string(ledger.UndoneKey(id))] = true
			fresh.Add(&c)
			fresh.Last = max(fresh.Last, id)
			return nil
		})
		if err != nil {
			return err
		}
		err = tx.ScanPrefixes([]ledger.Prefix{ledger.HistoryParts, ledger.HistoryUndone}, func(key, value []byte) error {
			if ledger.PrefixOf(key) == ledger.HistoryUndone && len(value) == 8 {
				by, _ := ledger.CutNumber(value)
				fresh.Last = max(fresh.Last, by)
			} else if ledger.PrefixOf(key) == ledger.HistoryUndone {
				needed[string(key)] = false
			}
			if !needed[string(key)] {
				drop = append(drop, key)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := tx.DeleteKeys(drop); err != nil || fresh.Last == 0 {
			return err
		}
		return fresh.Save(tx)
	})
	return repairs, err
}

// Schema describes the keys of the history.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "changes", Prefixes: []ledger.Prefix{ledger.HistoryChanges, ledger.HistoryParts,
		ledger.HistoryUndone, ledger.HistoryCountKey},
		Shared: true, Audit: newAudit, Repair: Repair}
}
