package kv

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"techo/internal/private"
)

// # Rescue
//
// A rescue reads everything readable of a damaged store into a new one. Only
// the content of a damaged block or transaction is lost. An older version of a
// record that was in it may become visible again; the rescue returns each such
// record as a Change, so that nothing is lost or old without being named.
//
// Tables are read in the order of their ids, which is the order of their creation,
// because a compaction merges the newest runs only. So newer entries win even
// without the manifest.

// Finding describes one damage.
type Finding struct {
	Path   string
	Reason Reason
}

// State is the state of a record after a rescue, compared with what was last
// written.
type State string

// States of a Change.
const (
	Lost        State = "lost"        // no longer there
	RolledBack  State = "rolled_back" // an older version is there
	Resurrected State = "resurrected" // deleted, and there again
)

// Change is a key whose value after the rescue differs from the last one written.
type Change struct {
	Key   []byte
	State State

	// Certain is false for a key that was read from a damaged place without a
	// checksum. The key may be wrong, or its value unchanged.
	Certain bool
}

// Rescued is the result of a rescue.
type Rescued struct {
	Findings []Finding
	Changes  []Change // sorted by key
	Aside    string   // folder of the damaged store, "" when it was not replaced

	// Unnamed is the number of damaged places whose keys are not all known. Each has a
	// finding that describes its range.
	Unnamed int
}

// rescue is one reading of a damaged store.
type rescue struct {
	Rescued
	dir string
	to  *rescueWriter

	generation uint64 // of the tables

	// doubts are the keys in damaged places that no newer intact record replaces.
	doubts map[string]doubt
}

type doubt struct {
	keyClaim
	certain bool
}

func (r *rescue) found(path string, code ReasonCode, args ...any) {
	r.Findings = append(r.Findings, Finding{path, reason(code, args...)})
}

// put copies an operation to the new store.
func (r *rescue) put(op byte, key, value []byte) error {
	delete(r.doubts, string(key))
	return r.to.put(op, key, value)
}

// missed records a key in a damaged place. A certain deletion is repeated in the
// new store.
func (r *rescue) missed(key []byte, d doubt) error {
	if d.certain && d.deleted {
		return r.put(opDelete, key, nil)
	}
	r.doubts[string(key)] = d
	return nil
}

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
	r := &rescue{dir: dir, to: &rescueWriter{ctx: ctx, to: l}, doubts: map[string]doubt{}}
	steps, err := r.journal()
	if err == nil {
		err = r.tables()
	}
	for _, s := range steps {
		if err == nil {
			err = r.take(s)
		}
	}
	if err == nil {
		err = r.to.flush()
	}
	if err == nil {
		err = r.compare(ctx, l)
	}
	return r.Rescued, err
}

// compare turns doubts into changes by looking them up in the new store.
func (r *rescue) compare(ctx context.Context, l *Local) error {
	return l.View(ctx, func(tx Tx) error {
		r.Changes = nil
		for _, key := range slices.Sorted(maps.Keys(r.doubts)) {
			d := r.doubts[key]
			value, err := tx.Get([]byte(key))
			there := err == nil
			if err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
			c := Change{Key: []byte(key), Certain: d.certain}
			switch {
			case d.deleted && there:
				c.State = Resurrected
			case d.deleted || there && sum([]byte(key), value) == d.sum:
				continue
			case there:
				c.State = RolledBack
			default:
				c.State = Lost
			}
			r.Changes = append(r.Changes, c)
		}
		return nil
	})
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
				err = tx.(*localTx).set(op, key, value)
			}
		})
		return err
	})
	w.payload = w.payload[:0]
	return err
}

// reasonOrMissing returns the reason of a CorruptError. Other errors mean that the file
// is missing.
func reasonOrMissing(err error) Reason {
	if errors.As(err, new(*CorruptError)) {
		return ReasonOf(err)
	}
	return reason(Missing)
}

// read reads a whole file. Unreadable parts are zeros, with a finding.
func (r *rescue) read(path string, names ...string) ([]byte, error) {
	f, err := entryOf(private.Open(r.dir, os.O_RDONLY, names...))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	const piece = 4 << 10
	data := make([]byte, st.Size())
	if _, err := f.ReadAt(data, 0); err == nil || errors.Is(err, io.EOF) {
		return data, nil
	}
	clear(data)
	bad := 0
	for at := 0; at < len(data); at += piece {
		part := data[at:min(at+piece, len(data))]
		if _, err := f.ReadAt(part, int64(at)); err != nil && !errors.Is(err, io.EOF) {
			clear(part)
			bad++
		}
	}
	r.found(path, UnreadablePieces, bad)
	return data, nil
}
