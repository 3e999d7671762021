package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"

	"techo/store/kv"
)

// editAudit checks the changes of files, that each has its ways back and no
// others are there, and their counts.
type editAudit struct {
	want, found tally // the ways back, by key and size
	counts      FileEditCounts
	next        uint64 // above all ids
}

func newEditAudit() audit {
	a := new(editAudit)
	a.want, a.found = newTallies()
	return a
}

func (a *editAudit) see(_ kv.Tx, key, value []byte) error {
	switch {
	case string(key[:2]) == "uw":
		a.found.add(key, sizeOf(len(value)))
	case string(key[:2]) == "ue":
		e, err := fileEditOf(key, value)
		if err != nil {
			return err
		}
		for i, f := range e.Files {
			a.want.add(wayKey(e.ID, i), sizeOf(f.Size))
		}
		a.counts.Edits++
		a.counts.Bytes += e.size()
		a.next = e.ID + 1
	}
	return nil
}

func sizeOf(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// fileEditOf reads a change of files out of its record.
func fileEditOf(key, value []byte) (FileEdit, error) {
	var r fileEditRecord
	if err := json.Unmarshal(value, &r); err != nil || len(key) != len(editSpace)+8 {
		return FileEdit{}, bad("edit %x: not what its key says", key[2:])
	}
	return r.edit(editID(key)), nil
}

func (a *editAudit) finish(tx kv.Tx) (int, error) {
	if a.want != a.found {
		return 0, bad("the edits of files and their ways back do not belong together")
	}
	kept, err := loadEditCounts(tx)
	if err != nil {
		return 0, err
	}
	if kept.Edits != a.counts.Edits || kept.Bytes != a.counts.Bytes || kept.Next < a.next {
		return 0, bad("counts of edits are %v, the edits make %v", kept, a.counts)
	}
	return kept.Edits, nil
}

// mendEdits drops the changes whose ways back are gone, and the ways back whose
// change is, and makes the counts anew.
func mendEdits(ctx context.Context, s *Store) (notes []Note, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		notes = nil
		sizes := map[string]int{} // of the ways that are there
		var edits []FileEdit
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("u")}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			switch key := slices.Clone(item.Key); string(key[:min(2, len(key))]) {
			case "uw":
				sizes[string(key)] = len(value)
			case "ue":
				e, err := fileEditOf(key, value)
				if err != nil {
					notes = append(notes, Note{Kind: "dropped", About: string(key), Reason: err.Error()})
					drop = append(drop, key)
					continue
				}
				edits = append(edits, e)
			}
		}
		counts, err := loadEditCounts(tx)
		if err != nil {
			counts = FileEditCounts{}
		}
		counts.Edits, counts.Bytes = 0, 0
		for _, e := range edits {
			counts.Next = max(counts.Next, e.ID+1)
			if !e.whole(sizes) {
				notes = append(notes, Note{Kind: "dropped", About: e.Tool, Reason: "a way back is gone"})
				drop = append(drop, editKey(e.ID))
				continue
			}
			counts.Edits++
			counts.Bytes += e.size()
			for i := range e.Files {
				delete(sizes, string(wayKey(e.ID, i)))
			}
		}
		for key := range sizes {
			drop = append(drop, []byte(key))
		}
		for _, key := range drop {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		if counts == (FileEditCounts{}) {
			return nil // there never was one
		}
		return save(tx, editCountsKey, counts)
	})
	return notes, err
}

// whole reports whether all ways back of a change are there.
func (e FileEdit) whole(sizes map[string]int) bool {
	for i, f := range e.Files {
		if size, ok := sizes[string(wayKey(e.ID, i))]; !ok || size != f.Size {
			return false
		}
	}
	return true
}
