// Package rescue reads everything readable of a damaged store.
package rescue

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
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

// Reading is one reading of a damaged store.
type Reading struct {
	Rescued
	dir string
	to  func(op byte, key, value []byte) error // writes to the new store

	generation uint64 // of the tables

	// doubts are the keys in damaged places that no newer intact record replaces.
	doubts map[string]doubt
}

type doubt struct {
	journal.Claim
	certain bool
}

// New returns the rescue of the store in dir, which passes what it reads to a function.
func New(dir string, to func(op byte, key, value []byte) error) *Reading {
	return &Reading{dir: dir, to: to, doubts: map[string]doubt{}}
}

// ReadAll reads the store, oldest records first, so that newer ones replace them.
func (r *Reading) ReadAll() error {
	steps, err := r.journal()
	if err == nil {
		err = r.tables()
	}
	for _, s := range steps {
		if err == nil {
			err = r.take(s)
		}
	}
	return err
}

// Compare turns doubts into changes by looking them up in the new store. get fails with
// ErrNotFound for a key without a value.
func (r *Reading) Compare(get func(key []byte) ([]byte, error)) error {
	r.Changes = nil
	for _, key := range slices.Sorted(maps.Keys(r.doubts)) {
		d := r.doubts[key]
		value, err := get([]byte(key))
		there := err == nil
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		c := Change{Key: []byte(key), Certain: d.certain}
		switch {
		case d.Deleted && there:
			c.State = Resurrected
		case d.Deleted || there && disk.Checksum([]byte(key), value) == d.Sum:
			continue
		case there:
			c.State = RolledBack
		default:
			c.State = Lost
		}
		r.Changes = append(r.Changes, c)
	}
	return nil
}

func (r *Reading) found(path string, code kv.ReasonCode, args ...any) {
	r.Findings = append(r.Findings, Finding{path, kv.Because(code, args...)})
}

// put copies an operation to the new store.
func (r *Reading) put(op byte, key, value []byte) error {
	delete(r.doubts, string(key))
	return r.to(op, key, value)
}

// missed records a key in a damaged place. A certain deletion is repeated in the
// new store.
func (r *Reading) missed(key []byte, d doubt) error {
	if d.certain && d.Deleted {
		return r.put(journal.OpDelete, key, nil)
	}
	r.doubts[string(key)] = d
	return nil
}

// reasonOrMissing returns the reason of a CorruptError. Other errors mean that the file
// is missing.
func reasonOrMissing(err error) kv.Reason {
	if errors.As(err, new(*kv.CorruptError)) {
		return kv.ReasonOf(err)
	}
	return kv.Because(kv.Missing)
}

// read reads a whole file. Unreadable parts are zeros, with a finding.
func (r *Reading) read(path string, names ...string) ([]byte, error) {
	f, err := disk.OpenEntry(os.O_RDONLY, r.dir, names...)
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
	r.found(path, kv.UnreadablePieces, bad)
	return data, nil
}

// Finding describes one damage.
type Finding struct {
	Path   string
	Reason kv.Reason
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
