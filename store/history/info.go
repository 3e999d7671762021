package history

import (
	"context"

	"techo/store/ledger"
)

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
