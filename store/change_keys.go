package store

import "encoding/binary"

// The prefixes of the keys of the history.
const (
	historyChanges  space = "hc"
	historyParts    space = "hb"
	historyUndone   space = "hu"
	historyCountKey space = "hs"
)

func changeKey(id uint64) []byte { return historyChanges.number(id) }

func undoneKey(id uint64) []byte { return historyUndone.number(id) }

// changePartKey is the key of a part of a change's previous values; the first
// part is 1, because the change itself has what precedes it.
func changePartKey(id uint64, part int) []byte {
	return binary.BigEndian.AppendUint32(historyParts.number(id), uint32(part))
}
