package folder

import (
	"context"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
	"techo/store/kv/rescue"
)

// Rescue copies everything readable of the store in dir into a new store beside
// it, and calls repair with the new store's folder. With replace its records then
// replace the damaged store's, and a copy of that is kept. The new store is removed.
// An error from repair leaves the damaged store as it is.
func Rescue(ctx context.Context, dir string, replace bool, holder string,
	repair func(fresh string, r rescue.Rescued) error) (_ rescue.Rescued, err error) {
	dir = resolved(dir)
	if err := disk.CheckOwner(dir); err != nil {
		return rescue.Rescued{}, err
	}
	h, err := lock.Acquire(ctx, dir, !replace, holder, nil)
	if err != nil {
		return rescue.Rescued{}, err
	}
	defer h.Release()
	fresh := freshBeside(dir)
	defer disk.RemoveStore(fresh)
	r, err := rescueInto(ctx, dir, fresh)
	if err != nil {
		return r, disk.NoSpace(err)
	}
	if err := repair(fresh, r); err != nil || !replace {
		return r, disk.NoSpace(err)
	}
	r.Aside, err = replaceRecords(ctx, dir, fresh, "damaged", h)
	return r, disk.NoSpace(err)
}

// rescueInto fills a new store, oldest records first, so that newer ones replace
// them.
func rescueInto(ctx context.Context, dir, fresh string) (_ rescue.Rescued, err error) {
	l, err := Open(fresh, Options{Write: true})
	if err != nil {
		return rescue.Rescued{}, err
	}
	defer func() {
		if e := l.Close(); err == nil {
			err = e
		}
	}()
	w := &bulkWriter{ctx: ctx, to: l}
	r := rescue.New(dir, w.write)
	err = r.ReadAll()
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = l.View(ctx, func(tx kv.Tx) error { return r.Compare(tx.Get) })
	}
	return r.Rescued, err
}

// bulkWriter writes to a new store in large transactions.
type bulkWriter struct {
	ctx     context.Context
	to      *Engine
	payload []byte
}

func (w *bulkWriter) write(op byte, key, value []byte) error {
	if op == journal.OpDelete {
		w.payload = journal.AppendDelete(w.payload, key)
	} else {
		w.payload = journal.AppendPut(w.payload, key, value)
	}
	if len(w.payload) < 4<<20 {
		return nil
	}
	return w.flush()
}

func (w *bulkWriter) flush() error {
	err := w.to.Update(w.ctx, func(tx kv.Tx) (err error) {
		journal.Operations(w.payload, func(op byte, key, value []byte) {
			if err == nil {
				if op == journal.OpDelete {
					err = tx.Delete(key)
				} else {
					err = tx.Put(key, value)
				}
			}
		})
		return err
	})
	w.payload = w.payload[:0]
	return err
}
