package ledger

import (
	"errors"
	"time"

	"techo/store/kv"
)

// MaxDropped limits how many old changes one write drops, so that no write pays
// for a lowered limit alone.
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
	counts.Changes--
	counts.Bytes -= int64(c.Size)
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
