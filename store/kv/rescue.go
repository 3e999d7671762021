package kv

import (
	"context"
)

// Rescue copies everything readable of the store in dir into a new store beside
// it, and calls repair with the new store's folder. With replace its records then
// replace the damaged store's, and a copy of that is kept. The new store is removed.
// An error from repair leaves the damaged store as it is.
func Rescue(ctx context.Context, dir string, replace bool, holder string,
	repair func(fresh string, r Rescued) error) (_ Rescued, err error) {
	dir = resolved(dir)
	if err := guard(dir); err != nil {
		return Rescued{}, err
	}
	h, err := lockStore(ctx, dir, replace, holder, nil)
	if err != nil {
		return Rescued{}, err
	}
	defer h.release()
	fresh := freshBeside(dir)
	defer removeStore(fresh)
	r, err := rescueInto(ctx, dir, fresh)
	if err != nil {
		return r, noSpace(err)
	}
	if err := repair(fresh, r); err != nil || !replace {
		return r, noSpace(err)
	}
	r.Aside, err = replaceRecords(ctx, dir, fresh, "damaged", h)
	return r, noSpace(err)
}

// rescueInto fills a new store, oldest records first, so that newer ones replace
// them.
func rescueInto(ctx context.Context, dir, fresh string) (_ Rescued, err error) {
	l, err := Open(fresh, Options{Write: true})
	if err != nil {
		return Rescued{}, err
	}
	defer func() {
		if e := l.Close(); err == nil {
			err = e
		}
	}()
	w := &rescueWriter{ctx: ctx, to: l}
	r := newRescue(dir, w.put)
	err = r.readAll()
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = l.View(ctx, func(tx Tx) error { return r.compare(tx.Get) })
	}
	return r.Rescued, err
}

// rescueWriter writes to the new store in large transactions.
type rescueWriter struct {
	ctx     context.Context
	to      *Local
	payload []byte
}

func (w *rescueWriter) put(op byte, key, value []byte) error {
	if op == opDelete {
		w.payload = appendDelete(w.payload, key)
	} else {
		w.payload = appendPut(w.payload, key, value)
	}
	if len(w.payload) < 4<<20 {
		return nil
	}
	return w.flush()
}

func (w *rescueWriter) flush() error {
	err := w.to.Update(w.ctx, func(tx Tx) (err error) {
		operations(w.payload, func(op byte, key, value []byte) {
			if err == nil {
				if op == opDelete {
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
