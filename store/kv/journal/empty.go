package journal

import (
	"encoding/binary"
	"os"

	"techo/store/kv/disk"
)

// Empty returns a journal that begins a generation.
func Empty(generation uint64) []byte {
	j := Log{Generation: generation, End: FramesAt}
	b := make([]byte, FramesAt)
	copy(b[SlotStride*(generation%2):], HeaderOf(0))
	copy(b[SlotStride*((generation-1)%2):], HeaderOf(generation))
	copy(b[WatermarkAt:], j.watermark())
	return b
}

// GenerationIn returns the generation of a journal, or 0 for a damaged one.
func GenerationIn(dir string) (last uint64) {
	f, err := disk.OpenEntry(dir, disk.JournalName, os.O_RDONLY)
	if err != nil {
		return 0
	}
	defer f.Close()
	for i := range int64(2) {
		s := make([]byte, SlotSize)
		_, err := f.ReadAt(s, HeaderAt+i*SlotStride)
		if err == nil && disk.Checksum(s[:60]) == binary.BigEndian.Uint32(s[60:]) {
			last = max(last, binary.BigEndian.Uint64(s[20:]))
		}
	}
	return last
}
