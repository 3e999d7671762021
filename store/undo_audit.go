package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// editAudit checks the edits of files, their undo data and their counts.
type editAudit struct {
	want, found setHash // of the undo data, by key and size
	counts      FileEditCounts
	next        uint64 // greater than every id
}

func newEditAudit() audit {
	a := new(editAudit)
	a.want, a.found = newSetHashes()
	return a
}

func (a *editAudit) visit(_ *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case editUndoData:
		a.found.add(key, sizeOf(len(value)))
	case editRecords:
		e, err := decodeFileEdit(key, value)
		if err != nil {
			return err
		}
		for i, f := range e.Files {
			a.want.add(undoDataKey(e.ID, i), sizeOf(f.Size))
		}
		a.counts.Edits++
		a.counts.Bytes += e.size()
		a.next = e.ID + 1
	}
	return nil
}

func sizeOf(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// decodeFileEdit decodes the record of an edit.
func decodeFileEdit(key, value []byte) (FileEdit, error) {
	id, ok := cutNumber(rest(key))
	if !ok || len(rest(key)) != 8 {
		return FileEdit{}, finding(UnknownKey, KindEdit, string(key), nil)
	}
	var r fileEditRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return FileEdit{}, finding(Unreadable, KindEdit, fmt.Sprint(id), err)
	}
	return r.edit(id), nil
}

func (a *editAudit) finish(tx *Tx) (int, error) {
	if a.want != a.found {
		return 0, finding(NoUndoData, KindEdit, "", nil)
	}
	stored, err := loadEditCounts(tx)
	if err != nil {
		return 0, err
	}
	if stored.Edits != a.counts.Edits || stored.Bytes != a.counts.Bytes || stored.Next < a.next {
		return 0, finding(WrongCount, KindEdit, "", miscount(stored, a.counts))
	}
	return stored.Edits, nil
}

// repairEdits drops edits without their undo data and undo data without its
// edit, and rebuilds the counts.
func repairEdits(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		sizes := map[string]int{} // of the undo data, by key
		var edits []FileEdit
		var drop [][]byte
		repairs = nil
		err := scanSpaces(tx, spacesOf("edits"), func(key, value []byte) error {
			switch spaceOf(key) {
			case editUndoData:
				sizes[string(key)] = len(value)
			case editRecords:
				e, err := decodeFileEdit(key, value)
				if err != nil {
					repairs = append(repairs, dropped(KindEdit, string(key), err))
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
			counts = FileEditCounts{}
		}
		counts.Edits, counts.Bytes = 0, 0
		for _, e := range edits {
			counts.Next = max(counts.Next, e.ID+1)
			if !e.complete(sizes) {
				repairs = append(repairs,
					dropped(KindEdit, e.Tool, finding(NoUndoData, KindEdit, fmt.Sprint(e.ID), nil)))
				drop = append(drop, editKey(e.ID))
				continue
			}
			counts.Edits++
			counts.Bytes += e.size()
			for i := range e.Files {
				delete(sizes, string(undoDataKey(e.ID, i)))
			}
		}
		for key := range sizes {
			drop = append(drop, []byte(key))
		}
		if err := deleteKeys(tx, drop); err != nil || counts == (FileEditCounts{}) {
			return err
		}
		return save(tx, editCountKey.all(), counts)
	})
	return repairs, err
}

// complete reports whether all undo data of an edit exists.
func (e FileEdit) complete(sizes map[string]int) bool {
	for i, f := range e.Files {
		if size, ok := sizes[string(undoDataKey(e.ID, i))]; !ok || size != f.Size {
			return false
		}
	}
	return true
}
