package kv

import (
	"context"

	"techo/store/kv/disk"
)

// Check reads the whole store from the disk: the journal and every entry of every
// table, also entries that newer ones hide.
func (l *Local) Check(ctx context.Context, progress func(done int64)) (checked int, err error) {
	disk.ForgetCached(l.dir)
	fresh, err := Open(l.dir, Options{Holder: l.opts.Holder})
	if err != nil {
		return 0, err
	}
	defer fresh.Close()
	err = fresh.Snapshot(ctx, func(tx Tx) error {
		t, err := tx.(*localTx).tables.open(tx.(*localTx))
		if err == nil && t != nil {
			checked, err = t.CheckAll(ctx, progress)
		}
		return err
	})
	return checked, err
}
