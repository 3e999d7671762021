package edit

import (
	"encoding/binary"

	"techo/store/ledger"
)

// The prefixes of the keys of edits of files.
const (
	Records  ledger.Prefix = "ue"
	UndoData ledger.Prefix = "uw"
	CountKey ledger.Prefix = "uc"
)

// Key returns the key of a record.
func Key(id uint64) []byte { return Records.Number(id) }

// UndoDataKey is the key of the data to undo the change of a file, which is the
// n-th of an edit.
func UndoDataKey(id uint64, n int) []byte {
	return binary.BigEndian.AppendUint32(UndoData.Number(id), uint32(n))
}
