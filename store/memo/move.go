package memo

import (
	"context"

	"techo/store/ledger"
)

// Move moves the memo with a name or an id to another space, or between a space and
// the store.
func Move(ctx context.Context, from, to *ledger.Ledger, name string) (m Memo, err error) {
	err = ledger.UpdateBoth(ctx, from, to, func(here, there *ledger.Tx) error {
		if m, err = findMemo(here, name); err != nil {
			return err
		}
		if err := memoNameFree(there, m.Name, ""); err != nil {
			return err
		}
		if err := memoNameFree(there, m.ID, ""); err != nil {
			return err
		}
		if err := table.Put(here, &m, nil); err != nil {
			return err
		}
		return table.Put(there, nil, &m)
	})
	return m, err
}
