package edit

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"techo/store/ledger"
)

// audit checks the edits of files, their undo data and their counts.
type audit struct {
	want, found ledger.SetHash // of the undo data, by key and size
	counts      Counts
	next        uint64 // greater than every id
}

func newAudit() ledger.Audit {
	a := new(audit)
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case UndoData:
		a.found.Add(key, sizeOf(len(value)))
	case Records:
		e, err := Decode(key, value)
		if err != nil {
			return err
		}
		for i, f := range e.Files {
			a.want.Add(UndoDataKey(e.ID, i), sizeOf(f.Size))
		}
		a.counts.Edits++
		a.counts.Bytes += e.size()
		a.next = e.ID + 1
	}
	return nil
}

func sizeOf(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// Decode decodes the record of an edit.
func Decode(key, value []byte) (Edit, error) {
	id, ok := ledger.CutNumber(ledger.Rest(key))
	if !ok || len(ledger.Rest(key)) != 8 {
		return Edit{}, ledger.Finding(ledger.UnknownKey, ledger.KindEdit, string(key), nil)
	}
	var r fileEditRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return Edit{}, ledger.Finding(ledger.Unreadable, ledger.KindEdit, fmt.Sprint(id), err)
	}
	return r.edit(id), nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, ledger.Finding(ledger.NoUndoData, ledger.KindEdit, "", nil)
	}
	stored, err := loadEditCounts(tx)
	if err != nil {
		return 0, err
	}
	if stored.Edits != a.counts.Edits || stored.Bytes != a.counts.Bytes || stored.Next < a.next {
		return 0, ledger.Finding(ledger.WrongCount, ledger.KindEdit, "", ledger.Miscount(stored, a.counts))
	}
	return stored.Edits, nil
}

// Repair drops edits without their undo data and undo data without its
// edit, and rebuilds the counts.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		sizes := map[string]int{} // of the undo data, by key
		var edits []Edit
		var drop [][]byte
		repairs = nil
		err := ledger.ScanSpaces(tx, prefixes, func(key, value []byte) error {
			switch ledger.PrefixOf(key) {
			case UndoData:
				sizes[string(key)] = len(value)
			case Records:
				e, err := Decode(key, value)
				if err != nil {
					repairs = append(repairs, ledger.DroppedRecord(ledger.KindEdit, string(key), err))
					drop = append(drop, key)
					return nil
				}
				edits = append(edits, e)
			}
			return nil
		})
		if err != nil {
			return err
		}
		counts, err := loadEditCounts(tx)
		if err != nil {
			counts = Counts{}
		}
		counts.Edits, counts.Bytes = 0, 0
		for _, e := range edits {
			counts.Next = max(counts.Next, e.ID+1)
			if !e.complete(sizes) {
				repairs = append(repairs,
					ledger.DroppedRecord(ledger.KindEdit, e.Tool, ledger.Finding(ledger.NoUndoData, ledger.KindEdit,
						fmt.Sprint(e.ID), nil)))
				drop = append(drop, Key(e.ID))
				continue
			}
			counts.Edits++
			counts.Bytes += e.size()
			for i := range e.Files {
				delete(sizes, string(UndoDataKey(e.ID, i)))
			}
		}
		for key := range sizes {
			drop = append(drop, []byte(key))
		}
		if err := ledger.DeleteKeys(tx, drop); err != nil || counts == (Counts{}) {
			return err
		}
		return ledger.Save(tx, CountKey.All(), counts)
	})
	return repairs, err
}

// complete reports whether all undo data of an edit exists.
func (e Edit) complete(sizes map[string]int) bool {
	for i, f := range e.Files {
		if size, ok := sizes[string(UndoDataKey(e.ID, i))]; !ok || size != f.Size {
			return false
		}
	}
	return true
}
