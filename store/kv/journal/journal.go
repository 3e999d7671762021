// Package journal reads and writes the write-ahead log of a store.
package journal

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// # The write-ahead log
//
// Every transaction is first appended to one file, journal, and durable once
// that file is synced. All numbers are big-endian, every sum is CRC-32C.
//
//	0     header A     64 bytes
//	512   header B     64 bytes; generation 0 before the first compaction
//	1024  watermark A  64 bytes
//	1536  watermark B  64 bytes
//	4096  frames, one a transaction, without gaps
//
//	header     "techo journal\n\x00\x00" version(4) generation(8) zeros sum(4)
//	watermark  generation(8) transactions(8) end(8) zeros sum(4)
//	frame      length(4) sum(4) generation(8) number(8) payload
//	           the sum covers generation, number and payload; length is the payload's
//	payload    operations: 1 keyLength key valueLength value   put
//	                       2 keyLength key                     delete
//	           lengths are unsigned varints
//
// A generation ends when its frames have been merged into the tables: the older
// header is overwritten with the next generation, which invalidates all frames
// of the last one at once. The header with the higher generation counts.
//
// The two watermarks are written in turn, after the sync of the header or of the
// frames that they count, and never synced themselves. A bad frame below the
// watermark was durable once: the file is corrupt. A bad frame above it was
// never acknowledged: a torn end, which is dropped.
//
// A header or watermark lies within one sector and is written atomically, so a
// damaged header is corruption.
const (
	Format = 1

	SlotSize    = 64
	HeaderAt    = 0
	WatermarkAt = 1024
	SlotStride  = 512
	FramesAt    = 4096
	FrameHeader = 24

	MaxPayload = 1 << 30
)

// Magic begins each header.
const Magic = "techo journal\n\x00\x00"

const (
	OpPut    = 1
	OpDelete = 2
)

// Log is the open journal file. Its fields describe the file as of the last
// refresh.
type Log struct {
	Path string
	File disk.File // nil when it does not exist

	Generation    uint64
	Number        uint64 // transactions in this generation
	End           int64  // offset of the next frame
	size          int64  // of the file; bytes from end on are torn, and are cut off before a write
	last          []byte // the header of the last frame; nil when the generation has none
	headerDurable bool   // the generation has a watermark, and so its header is durable
	durable       uint64 // number of transactions known to be durable
}

// Open opens the file, and with write creates it. Without write a missing
// file is not an error: the journal's file is then nil.
func Open(path string, write bool) (*Log, error) {
	j := &Log{Path: path}
	how := os.O_RDONLY
	if write {
		how = os.O_RDWR | os.O_CREATE
	}
	f, err := disk.Current.Open(how, filepath.Dir(path), filepath.Base(path))
	if !write && errors.Is(err, os.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	j.File = f
	return j, nil
}

func (j *Log) Close() {
	if j.File != nil {
		j.File.Close()
		j.File = nil
	}
}

func (j *Log) corrupt(code kv.ReasonCode, args ...any) error {
	return kv.Corrupt(j.Path, code, args...)
}

// Replaced reports whether the file is no longer the one at its path.
func (j *Log) Replaced() bool {
	if j.File == nil {
		return false
	}
	mine, err := j.File.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(j.Path)
	return err != nil || !os.SameFile(mine, there)
}

// frame returns the payload of the frame at the start of buf.
func frame(buf []byte, generation, number uint64) (payload []byte, ok bool) {
	if len(buf) < FrameHeader {
		return nil, false
	}
	n := binary.BigEndian.Uint32(buf)
	if n > MaxPayload || int(n) > len(buf)-FrameHeader {
		return nil, false
	}
	body := buf[8 : FrameHeader+int(n)]
	if binary.BigEndian.Uint64(body) != generation || binary.BigEndian.Uint64(body[8:]) != number ||
		disk.Checksum(body) != binary.BigEndian.Uint32(buf[4:]) {
		return nil, false
	}
	return body[16:], true
}

// Operations calls apply for every operation of a payload. It returns false,
// before the first call, for a malformed payload.
func Operations(payload []byte, apply func(op byte, key, value []byte)) bool {
	for _, do := range []func(byte, []byte, []byte){func(byte, []byte, []byte) {}, apply} {
		for rest := payload; len(rest) > 0; {
			op := rest[0]
			var key, value []byte
			var ok bool
			if key, rest, ok = Cut(rest[1:]); !ok {
				return false
			}
			switch op {
			case OpPut:
				if value, rest, ok = Cut(rest); !ok {
					return false
				}
			case OpDelete:
			default:
				return false
			}
			do(op, key, value)
		}
	}
	return true
}

func Cut(b []byte) (field, rest []byte, ok bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil, false
	}
	return b[w : w+int(n) : w+int(n)], b[w+int(n):], true
}

// MaxOperation is the largest size of an operation in a payload without its key and value.
const MaxOperation = 1 + 2*binary.MaxVarintLen32

func AppendPut(payload, key, value []byte) []byte {
	payload = append(binary.AppendUvarint(append(payload, OpPut), uint64(len(key))), key...)
	return append(binary.AppendUvarint(payload, uint64(len(value))), value...)
}

func AppendDelete(payload, key []byte) []byte {
	return append(binary.AppendUvarint(append(payload, OpDelete), uint64(len(key))), key...)
}

func (j *Log) watermark() []byte {
	s := make([]byte, SlotSize)
	binary.BigEndian.PutUint64(s, j.Generation)
	binary.BigEndian.PutUint64(s[8:], j.Number)
	binary.BigEndian.PutUint64(s[16:], uint64(j.End))
	binary.BigEndian.PutUint32(s[60:], disk.Checksum(s[:60]))
	return s
}

func HeaderOf(generation uint64) []byte {
	s := make([]byte, SlotSize)
	copy(s, Magic)
	binary.BigEndian.PutUint32(s[16:], Format)
	binary.BigEndian.PutUint64(s[20:], generation)
	binary.BigEndian.PutUint32(s[60:], disk.Checksum(s[:60]))
	return s
}

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
	f, err := disk.OpenEntry(os.O_RDONLY, dir, disk.JournalName)
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
