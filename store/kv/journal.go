package kv

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
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
	formatVersion = 1

	slotSize    = 64
	headerAt    = 0
	watermarkAt = 1024
	slotStride  = 512
	framesAt    = 4096
	frameHeader = 24

	maxPayload = 1 << 30
)

const journalMagic = "techo journal\n\x00\x00"

const (
	opPut    = 1
	opDelete = 2
)

// journal is the open journal file. Its fields describe the file as of the last
// refresh.
type journal struct {
	path string
	file storeFile // nil when it does not exist

	generation    uint64
	number        uint64 // transactions in this generation
	end           int64  // offset of the next frame
	size          int64  // of the file; bytes from end on are torn, and are cut off before a write
	last          []byte // the header of the last frame; nil when the generation has none
	headerDurable bool   // the generation has a watermark, and so its header is durable
	durable       uint64 // number of transactions known to be durable
}

// openJournal opens the file, and with write creates it. Without write a missing
// file is not an error: the journal's file is then nil.
func openJournal(path string, write bool) (*journal, error) {
	j := &journal{path: path}
	how := os.O_RDONLY
	if write {
		how = os.O_RDWR | os.O_CREATE
	}
	f, err := disk.open(how, filepath.Dir(path), filepath.Base(path))
	if !write && errors.Is(err, os.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	j.file = f
	return j, nil
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
}

func (j *journal) corrupt(code ReasonCode, args ...any) error {
	return corrupt(j.path, code, args...)
}

// replaced reports whether the file is no longer the one at its path.
func (j *journal) replaced() bool {
	if j.file == nil {
		return false
	}
	mine, err := j.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(j.path)
	return err != nil || !os.SameFile(mine, there)
}

// frame returns the payload of the frame at the start of buf.
func frame(buf []byte, generation, number uint64) (payload []byte, ok bool) {
	if len(buf) < frameHeader {
		return nil, false
	}
	n := binary.BigEndian.Uint32(buf)
	if n > maxPayload || int(n) > len(buf)-frameHeader {
		return nil, false
	}
	body := buf[8 : frameHeader+int(n)]
	if binary.BigEndian.Uint64(body) != generation || binary.BigEndian.Uint64(body[8:]) != number ||
		sum(body) != binary.BigEndian.Uint32(buf[4:]) {
		return nil, false
	}
	return body[16:], true
}

// operations calls apply for every operation of a payload. It returns false,
// before the first call, for a malformed payload.
func operations(payload []byte, apply func(op byte, key, value []byte)) bool {
	for _, do := range []func(byte, []byte, []byte){func(byte, []byte, []byte) {}, apply} {
		for rest := payload; len(rest) > 0; {
			op := rest[0]
			var key, value []byte
			var ok bool
			if key, rest, ok = cut(rest[1:]); !ok {
				return false
			}
			switch op {
			case opPut:
				if value, rest, ok = cut(rest); !ok {
					return false
				}
			case opDelete:
			default:
				return false
			}
			do(op, key, value)
		}
	}
	return true
}

func cut(b []byte) (field, rest []byte, ok bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil, false
	}
	return b[w : w+int(n) : w+int(n)], b[w+int(n):], true
}

// maxOperation is the largest size of an operation in a payload without its key and value.
const maxOperation = 1 + 2*binary.MaxVarintLen32

func appendPut(payload, key, value []byte) []byte {
	payload = append(binary.AppendUvarint(append(payload, opPut), uint64(len(key))), key...)
	return append(binary.AppendUvarint(payload, uint64(len(value))), value...)
}

func appendDelete(payload, key []byte) []byte {
	return append(binary.AppendUvarint(append(payload, opDelete), uint64(len(key))), key...)
}

func (j *journal) watermark() []byte {
	s := make([]byte, slotSize)
	binary.BigEndian.PutUint64(s, j.generation)
	binary.BigEndian.PutUint64(s[8:], j.number)
	binary.BigEndian.PutUint64(s[16:], uint64(j.end))
	binary.BigEndian.PutUint32(s[60:], sum(s[:60]))
	return s
}

func headerOf(generation uint64) []byte {
	s := make([]byte, slotSize)
	copy(s, journalMagic)
	binary.BigEndian.PutUint32(s[16:], formatVersion)
	binary.BigEndian.PutUint64(s[20:], generation)
	binary.BigEndian.PutUint32(s[60:], sum(s[:60]))
	return s
}
