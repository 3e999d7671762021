package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// historyAudit checks the changes of the history, their values and counts.
type historyAudit struct {
	counts      HistoryCounts
	want, found setHash // of the keys of further values
}

func newHistoryAudit() audit {
	a := new(historyAudit)
	a.want, a.found = newSetHashes()
	return a
}

func (a *historyAudit) visit(tx *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case historyChanges:
		id, _ := cutNumber(rest(key))
		c, err := loadWholeChange(tx, id)
		if err != nil {
			return err
		}
		if string(changeKey(id)) != string(key) {
			return finding(UnknownKey, KindChange, string(key), nil)
		}
		for part := range c.parts() {
			a.want.add(changePartKey(c.ID, part+1), nil)
		}
		if a.counts.Changes == 0 {
			a.counts.first = c.ID
		}
		a.counts.Changes++
		a.counts.Bytes += int64(c.size)
		a.counts.last = c.ID
	case historyParts:
		a.found.add(key, nil)
	case historyUndone:
		id, ok := cutNumber(rest(key))
		if by, valid := cutNumber(value); !ok || !valid || by <= id {
			return finding(Unreadable, KindChange, string(key), nil)
		}
		if _, err := tx.Get(changeKey(id)); errors.Is(err, kv.ErrNotFound) {
			return finding(NoRecord, KindChange, ChangeID(id), nil)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (a *historyAudit) finish(tx *Tx) (int, error) {
	if a.want != a.found {
		return 0, finding(NoUndoData, KindChange, "", nil)
	}
	stored, err := loadHistoryCounts(tx)
	if err != nil {
		return 0, err
	}
	if stored.Changes != a.counts.Changes || stored.Bytes != a.counts.Bytes || stored.last < a.counts.last ||
		a.counts.Changes > 0 && stored.first > a.counts.first {
		return 0, finding(WrongCount, KindChange, "", miscount(stored, a.counts))
	}
	return stored.Changes, nil
}

// repairHistory drops changes that cannot be read or lack values, values
// without their change, and rebuilds the counts.
func repairHistory(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		counts, err := loadHistoryCounts(tx)
		if err != nil {
			counts = HistoryCounts{}
		}
		repairs = nil
		fresh := HistoryCounts{last: counts.last}
		needed := map[string]bool{} // keys of further values and marks
		var drop [][]byte
		err = scanSpaces(tx, []space{historyChanges}, func(key, _ []byte) error {
			id, _ := cutNumber(rest(key))
			c, err := loadWholeChange(tx, id)
			if err == nil && string(changeKey(id)) != string(key) {
				err = finding(UnknownKey, KindChange, string(key), nil)
			}
			if err != nil {
				repairs = append(repairs, dropped(KindChange, ChangeID(id), err))
				drop = append(drop, key)
				return nil
			}
			for part := range c.parts() {
				needed[string(changePartKey(id, part+1))] = true
			}
			needed[string(undoneKey(id))] = true
			fresh.add(&c)
			fresh.last = max(fresh.last, id)
			return nil
		})
		if err != nil {
			return err
		}
		err = scanSpaces(tx, []space{historyParts, historyUndone}, func(key, value []byte) error {
			if spaceOf(key) == historyUndone && len(value) == 8 {
				by, _ := cutNumber(value)
				fresh.last = max(fresh.last, by)
			} else if spaceOf(key) == historyUndone {
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
		if err := deleteKeys(tx, drop); err != nil || fresh == (HistoryCounts{}) {
			return err
		}
		return fresh.save(tx)
	})
	return repairs, err
}
