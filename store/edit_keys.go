package store

import "encoding/binary"

// The prefixes of the keys of edits of files.
const (
	editRecords  space = "ue"
	editUndoData space = "uw"
	editCountKey space = "uc"
)

func editKey(id uint64) []byte { return editRecords.number(id) }

// undoDataKey is the key of the data to undo the change of a file, which is the
// n-th of an edit.
func undoDataKey(id uint64, n int) []byte {
	return binary.BigEndian.AppendUint32(editUndoData.number(id), uint32(n))
}
