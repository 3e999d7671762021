package ledger

import "encoding/binary"

// The prefixes of the keys of the history.
const (
	HistoryChanges  Prefix = "hc"
	HistoryParts    Prefix = "hb"
	HistoryUndone   Prefix = "hu"
	HistoryCountKey Prefix = "hs"
)

func ChangeKey(id uint64) []byte { return HistoryChanges.Number(id) }

func UndoneKey(id uint64) []byte { return HistoryUndone.Number(id) }

// ChangePartKey is the key of a part of a change's previous values; the first
// part is 1, because the change itself has what precedes it.
func ChangePartKey(id uint64, part int) []byte {
	return binary.BigEndian.AppendUint32(HistoryParts.Number(id), uint32(part))
}
