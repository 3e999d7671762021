package sst

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/y"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
)

// # Blocks of a damaged table
//
// Badger finds the blocks of a table through the index at its end. A rescue
// scans the file when the index is damaged. A block is
//
//	entries   overlap(2) diff(2) key meta(1) user(1) expires(varint) value
//	offsets   of the entries in the block, 4 bytes each
//	count     of the entries, 4 bytes
//	checksum  a protobuf message with one field, the CRC-32C of all the above
//	length    of the checksum, 4 bytes
//
// count and length are big-endian, the others little-endian. An entry's key is
// the first overlap bytes of the block's first key, followed by diff bytes of its
// own; its last 8 bytes are the version, with all bits inverted.

// Span is the range of a block in a table's bytes.
type Span struct {
	Start, End int
	Sound      bool // its checksum matches
}

type blockEnd struct {
	end     int // end of the block
	summed  int // end of the bytes under the checksum
	entries int // end of the entries
	offsets []int
	sum     uint32
}

const (
	entryHeader = 4
	versionLen  = 8
)

// readBlockTrailer decodes the trailer of a block that ends at end, without the offsets.
// It cannot verify the checksum, because the start of the block is unknown.
func readBlockTrailer(data []byte, end int) (b blockEnd, ok bool) {
	const most = 6 // bytes of a checksum
	if end < 14 || end > len(data) {
		return b, false
	}
	length := int(binary.BigEndian.Uint32(data[end-4:]))
	if length < 2 || length > most || data[end-4-length] != 0x10 {
		return b, false
	}
	checksum, n := binary.Uvarint(data[end-3-length : end-4])
	if n != length-1 || checksum>>32 != 0 {
		return b, false
	}
	b = blockEnd{end: end, summed: end - 4 - length, sum: uint32(checksum)}
	count := int(binary.BigEndian.Uint32(data[b.summed-4:]))
	b.entries = b.summed - 4 - 4*count
	return b, count >= 1 && count <= b.summed/4 && b.entries >= 0
}

func readBlockEnd(data []byte, end int) (b blockEnd, ok bool) {
	if b, ok = readBlockTrailer(data, end); !ok {
		return b, false
	}
	for at := b.entries; at < b.summed-4; at += 4 {
		offset := int(binary.LittleEndian.Uint32(data[at:]))
		if len(b.offsets) == 0 && offset != 0 || len(b.offsets) > 0 && offset <= b.offsets[len(b.offsets)-1] {
			return b, false
		}
		b.offsets = append(b.offsets, offset)
	}
	return b, b.offsets[len(b.offsets)-1]+entryHeader <= b.entries
}

// starts is a cheap test whether a block with this trailer may start at start.
func (b blockEnd) starts(data []byte, start int) bool {
	if start+b.offsets[len(b.offsets)-1]+entryHeader > b.entries {
		return false
	}
	first := int(binary.LittleEndian.Uint16(data[start+2:]))
	for _, offset := range b.offsets[1:] {
		if int(binary.LittleEndian.Uint16(data[start+offset:])) > first {
			return false
		}
	}
	return true
}

// mayStart reports whether a block may start with these bytes: its first entry
// shares no prefix and has a version that techo writes.
func mayStart(data []byte) bool {
	if len(data) < entryHeader+versionLen || data[0] != 0 || data[1] != 0 {
		return false
	}
	length := int(binary.LittleEndian.Uint16(data[2:]))
	if length <= versionLen || length > kv.MaxKey+versionLen || len(data) < entryHeader+length {
		return false
	}
	return bytes.HasPrefix(data[entryHeader+length-versionLen:], []byte{0xff, 0xff, 0xff})
}

// ScanBlocks finds every intact block of a table without its index, and the gaps
// between them. budget limits the bytes that are checksummed, because a crafted
// file could make a scan quadratic.
func ScanBlocks(data []byte, budget int64) (blocks []Span) {
	const most = kv.MaxValue + 64<<10 // bytes of a block
	var ends []blockEnd
	for end := 14; end <= len(data); end++ {
		if data[end-4]|data[end-3]|data[end-2] != 0 {
			continue
		}
		if b, ok := readBlockEnd(data, end); ok {
			ends = append(ends, b)
		}
	}
	gap := 0
	for start := 0; start < len(data) && len(ends) > 0; {
		found := 0
		if mayStart(data[start:]) {
			for len(ends) > 0 && ends[0].end <= start {
				ends = ends[1:]
			}
			for _, b := range ends {
				if b.end-start > most || budget < 0 {
					break
				}
				if !b.starts(data, start) {
					continue
				}
				budget -= int64(b.summed - start)
				if disk.Checksum(data[start:b.summed]) == b.sum {
					found = b.end
					break
				}
			}
		}
		if found == 0 {
			start++
			continue
		}
		if gap < start {
			blocks = append(blocks, Span{gap, start, false})
		}
		blocks = append(blocks, Span{start, found, true})
		start, gap = found, found
	}
	if gap < len(data) {
		blocks = append(blocks, Span{gap, len(data), false})
	}
	return blocks
}

// ScanBudget bounds the checksums of one scan.
const ScanBudget = 16 << 30

// IndexedBlocks returns the blocks that a table's index lists. index is the file
// from the start of the index, already verified.
func IndexedBlocks(data, index []byte) (blocks []Span, err error) {
	defer recovered("index", &err)
	root := fb.GetRootAsTableIndex(index, 0)
	var o fb.BlockOffset
	for n := range root.OffsetsLength() {
		if !root.Offsets(&o, n) {
			return nil, errors.New("an index without its blocks")
		}
		s := Span{Start: min(int(o.Offset()), len(data)), End: min(int(o.Offset())+int(o.Len()), len(data))}
		b, ok := readBlockEnd(data, s.End)
		s.Sound = ok && s.End-s.Start == int(o.Len()) && b.starts(data, s.Start) &&
			disk.Checksum(data[s.Start:b.summed]) == b.sum
		blocks = append(blocks, s)
	}
	return blocks, nil
}

// Entry is one entry of a table.
type Entry struct {
	Key, Value []byte
	Deleted    bool
}

// EntriesOf returns the entries of a block, also of a damaged one as far as its
// trailer is readable. The entries of a damaged block may be wrong.
func EntriesOf(data []byte, s Span) (all []Entry) {
	b, ok := readBlockEnd(data, s.End)
	if !ok || !b.starts(data, s.Start) {
		return nil
	}
	block := data[s.Start:b.entries]
	var first []byte
	for n, offset := range b.offsets {
		end := len(block)
		if n+1 < len(b.offsets) {
			end = min(b.offsets[n+1], end)
		}
		if offset+entryHeader > end {
			continue
		}
		entry := block[offset:end]
		overlap, diff := int(binary.LittleEndian.Uint16(entry)), int(binary.LittleEndian.Uint16(entry[2:]))
		if overlap > len(first) || entryHeader+diff+2 > len(entry) {
			continue
		}
		key := slices.Concat(first[:overlap], entry[entryHeader:entryHeader+diff])
		if n == 0 {
			first = key
		}
		if len(key) <= versionLen {
			continue
		}
		var v y.ValueStruct
		if _, w := binary.Uvarint(entry[entryHeader+diff+2:]); w <= 0 {
			continue
		}
		v.Decode(entry[entryHeader+diff:])
		all = append(all, Entry{Key: key[:len(key)-versionLen], Value: v.Value, Deleted: v.Meta&bitDelete != 0})
	}
	return all
}

func KeysName(id uint64) string { return fmt.Sprintf("%06d", id) + disk.KeysExt }

// tableKeys builds the key file of a table.
type tableKeys struct {
	chunk  []byte
	frames []byte
	number uint64
	packer *flate.Writer // has large buffers, which serve all chunks
}

func (k *tableKeys) add(id uint64, key, value []byte, deleted bool) {
	op := byte(journal.OpPut)
	if deleted {
		op = journal.OpDelete
	}
	if k.chunk = journal.AppendKey(k.chunk, op, key, value); len(k.chunk) >= journal.KeysChunk {
		k.flush(id)
	}
}

func (k *tableKeys) flush(id uint64) {
	if len(k.chunk) == 0 {
		return
	}
	var packed bytes.Buffer
	if k.packer == nil {
		k.packer, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	}
	k.packer.Reset(&packed)
	_, _ = k.packer.Write(k.chunk) // writes to memory do not fail
	_ = k.packer.Close()
	k.frames = journal.AppendFrame(k.frames, id, k.number, journal.AppendPut(nil, nil, packed.Bytes()))
	k.chunk = k.chunk[:0]
	k.number++
}

// write writes the key file of a table. Errors are ignored.
func (k *tableKeys) write(dir string, id uint64) {
	k.flush(id)
	_ = writeDurably(k.frames, dir, disk.TablesName, KeysName(id))
	*k = tableKeys{chunk: k.chunk[:0], packer: k.packer}
}

// CheckAll reads all tables, also what newer runs hide. It returns their number and calls progress
// with the number of bytes read so far.
func (t *Tables) CheckAll(ctx context.Context, progress func(done int64)) (checked int, err error) {
	if err := t.checkRuns(); err != nil {
		return 0, err
	}
	var done int64
	for _, r := range t.Runs {
		for n, f := range r {
			if _, err := t.digest(r[n : n+1]); err != nil {
				return checked, err
			}
			checked++
			done += f.Size
			progress(done)
			if ctx.Err() != nil {
				return checked, context.Cause(ctx)
			}
		}
	}
	return checked, nil
}

// checkRuns checks that Badger reads the same entries as techo: Badger takes the
// highest version of a key, techo the newest run, and both search a run for the
// one table that may have the key. digest checks the version of each entry.
func (t *Tables) checkRuns() error {
	wrong := func(i Info, code kv.ReasonCode) error {
		return kv.Corrupt(filepath.Join(t.Path, i.Name()), code)
	}
	for n, r := range t.Runs {
		for k, f := range r {
			switch {
			case f.version != r[0].version || f.version == 0:
				return wrong(f.Info, kv.SeveralVersions)
			case n > 0 && f.version >= t.Runs[n-1][0].version:
				return wrong(f.Info, kv.OldRunNewVersion)
			case bytes.Compare(f.Low, f.High) > 0 || k > 0 && bytes.Compare(r[k-1].High, f.Low) >= 0:
				return wrong(f.Info, kv.RunsOutOfOrder)
			}
		}
	}
	return nil
}
