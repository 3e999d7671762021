package store

import (
	"context"
	"errors"
	"time"

	"techo/store/kv"
)

// maxDropped limits how many old changes one write drops, so that no write pays
// for a lowered limit alone.
const maxDropped = 64

// due reports whether there are changes beyond the limits. The last change is
// kept whatever its size.
func (c *HistoryCounts) due(limits HistoryLimits, now time.Time) bool {
	return c.Changes > 1 && (limits.tooOld(c.Oldest, now) || c.Bytes > limits.MaxBytes)
}

func (l HistoryLimits) tooOld(at, now time.Time) bool { return now.Sub(at) > l.MaxAge }

// dropOldChanges drops the oldest changes that are too old, or too many for the
// size of the history.
func dropOldChanges(tx *Tx, counts *HistoryCounts, limits HistoryLimits, now time.Time) error {
	if !counts.due(limits, now) {
		return nil
	}
	var drop []Change
	bytes := counts.Bytes
	kept := false
	oldest := kv.Range{Prefix: historyChanges.all(), From: changeKey(counts.first)}
	err := eachChange(tx, oldest, func(c Change) error {
		old := limits.tooOld(c.At, now) || bytes > limits.MaxBytes
		if !old || len(drop) == maxDropped || len(drop) == counts.Changes-1 {
			counts.first, counts.Oldest, kept = c.ID, c.At, true
			return errStop
		}
		bytes -= int64(c.size)
		drop = append(drop, c)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range drop {
		if err := dropChange(tx, counts, c); err != nil {
			return err
		}
	}
	if !kept {
		counts.first = counts.last
	}
	return nil
}

// dropChange removes a change from the history. The caller saves the counts.
func dropChange(tx *Tx, counts *HistoryCounts, c Change) error {
	counts.Changes--
	counts.Bytes -= int64(c.size)
	keys := [][]byte{changeKey(c.ID), undoneKey(c.ID)}
	for part := range c.parts() {
		keys = append(keys, changePartKey(c.ID, part+1))
	}
	if c.Edit != 0 {
		if err := removeFileEdit(tx, c.Edit-1); err != nil {
			return err
		}
	}
	return deleteKeys(tx, keys)
}

// removeChange removes a change with a number. A missing change is no error.
func removeChange(tx *Tx, id uint64) error {
	c, err := loadChange(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return dropChanges(tx, []Change{c})
}

// dropChanges removes changes from the history.
func dropChanges(tx *Tx, drop []Change) error {
	counts, err := loadHistoryCounts(tx)
	if err != nil {
		return err
	}
	for _, c := range drop {
		if err := dropChange(tx, &counts, c); err != nil {
			return err
		}
	}
	return counts.save(tx)
}

// HistoryInfo describes the extent of the history and its limits.
type HistoryInfo struct {
	HistoryCounts
	Limits HistoryLimits
}

// Info returns the extent of the history and its limits.
func (h History) Info(ctx context.Context) (info HistoryInfo, err error) {
	info.Limits = h.store.history
	err = stream(ctx, h.store, func(tx *Tx) (err error) {
		info.HistoryCounts, err = loadHistoryCounts(tx)
		return err
	})
	return info, err
}
