package store

import "context"

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
