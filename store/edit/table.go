package edit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// table keeps the edits. The undo data lies beside their records, like the entries of an index.
var table = &ledger.Table[Edit, Counts]{
	Kind: ledger.KindEdit, Records: Records, Indexes: []ledger.Prefix{UndoData}, CountKey: CountKey,
	Key:    func(e *Edit) []byte { return Key(e.ID) },
	Encode: func(e *Edit) ([]byte, error) { return ledger.Encode(record{e.Time.UnixMilli(), *e}) },
	Decode: Decode,
	Index: func(e *Edit) (data []kv.Pair) {
		for i, f := range e.Files {
			data = append(data, kv.Pair{Key: UndoDataKey(e.ID, i), Value: f.Way})
		}
		return data
	},
	Count: func(c *Counts, e *Edit, n int) {
		c.Next = max(c.Next, e.ID+1)
		c.Edits += n
		c.Bytes += int64(n) * e.size()
	},
	Agree: func(stored, counted Counts) bool {
		return stored.Edits == counted.Edits && stored.Bytes == counted.Bytes && stored.Next >= counted.Next
	},
	Keep: func(stored Counts) Counts { return Counts{Next: stored.Next} },
	Seen: func(c *Counts, key []byte) {
		const most = 1 << 52 // the greatest id that a key is believed
		if id, ok := ledger.NumberIn(key); ok && id < most {
			c.Next = max(c.Next, id+1)
		}
	},
	Settle: dropIncomplete,
}

// Decode decodes the record of an edit, without its undo data.
func Decode(key, value []byte) (Edit, error) {
	id, ok := ledger.NumberIn(key)
	if !ok {
		return Edit{}, ledger.Finding(ledger.UnknownKey, ledger.KindEdit, string(key), nil)
	}
	r, err := ledger.DecodeJSON[record](ledger.KindEdit, fmt.Sprint(id), value)
	r.Edit.ID, r.Edit.Time = id, time.UnixMilli(r.Time)
	return r.Edit, err
}

// dropIncomplete loads the undo data of edits, and drops edits without theirs.
func dropIncomplete(tx *ledger.Tx, all []Edit) (complete []Edit, repairs []ledger.Repair, err error) {
	for _, e := range all {
		err := e.loadUndoData(tx)
		switch {
		case err == nil:
			complete = append(complete, e)
		case ledger.IsFinding(err, ledger.NoUndoData):
			repairs = append(repairs, ledger.DroppedRecord(ledger.KindEdit, e.Tool, err))
		default:
			return nil, nil, err
		}
	}
	return complete, repairs, nil
}

// audit checks the undo data by its size, because the records do not have it.
type audit struct {
	ledger.Audit
	want, found ledger.SetHash
}

func newAudit() ledger.Audit {
	edits := *table
	edits.Index = nil
	a := &audit{Audit: edits.NewAudit()}
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(tx *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case UndoData:
		a.found.Add(key, sizeOf(len(value)))
		return nil
	case Records:
		e, _ := Decode(key, value) // the other audit reports the error
		for i, f := range e.Files {
			a.want.Add(UndoDataKey(e.ID, i), sizeOf(f.Size))
		}
	}
	return a.Audit.Visit(tx, key, value)
}

func sizeOf(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, ledger.Finding(ledger.NoUndoData, ledger.KindEdit, "", nil)
	}
	return a.Audit.Finish(tx)
}

// Schema describes the keys of edits of files.
func Schema() ledger.Schema {
	s := table.Schema("edits")
	s.Audit, s.Recorded = newAudit, []ledger.Recorded{recorded()}
	return s
}

// recorded describes edits of files for the history.
func recorded() ledger.Recorded {
	return ledger.Recorded{Kind: ledger.KindFile, Dropped: dropEditOf, Undoable: undoableEdit, Purged: removeEditsOf}
}

// dropEditOf removes the edit that a change records.
func dropEditOf(tx *ledger.Tx, c ledger.Change) error {
	if c.Edit == 0 {
		return nil
	}
	return removeFileEdit(tx, c.Edit-1)
}

// undoableEdit reports whether a change of files may be undone without naming it.
func undoableEdit(tx *ledger.Tx, c ledger.Change) (bool, error) {
	if c.Edit == 0 {
		return c.Undoes == 0, nil
	}
	e, err := table.Load(tx, Key(c.Edit-1))
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && e.mayUndo(), err
}

// removeEditsOf removes all edits of some files, also those that the history does
// not record.
func removeEditsOf(tx *ledger.Tx, paths []string) error {
	var drop []Edit
	for e, err := range table.Scan(tx, kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.Files, func(f File) bool { return slices.Contains(paths, f.Path) }) {
			drop = append(drop, e)
		}
	}
	for _, e := range drop {
		if err := table.Put(tx, &e, nil); err != nil {
			return err
		}
	}
	return nil
}
