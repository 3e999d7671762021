package kv

import (
	"encoding/binary"
	"os"
)

// emptyJournal returns a journal that begins a generation.
func emptyJournal(generation uint64) []byte {
	j := journal{generation: generation, end: framesAt}
	b := make([]byte, framesAt)
	copy(b[slotStride*(generation%2):], headerOf(0))
	copy(b[slotStride*((generation-1)%2):], headerOf(generation))
	copy(b[watermarkAt:], j.watermark())
	return b
}

// journalGeneration returns the generation of a journal, or 0 for a damaged one.
func journalGeneration(dir string) (last uint64) {
	f, err := openEntry(dir, journalName, os.O_RDONLY)
	if err != nil {
		return 0
	}
	defer f.Close()
	for i := range int64(2) {
		s := make([]byte, slotSize)
		if _, err := f.ReadAt(s, headerAt+i*slotStride); err == nil && sum(s[:60]) == binary.BigEndian.Uint32(s[60:]) {
			last = max(last, binary.BigEndian.Uint64(s[20:]))
		}
	}
	return last
}
