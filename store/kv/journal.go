package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// # The journal on disk
//
// Every transaction is first appended to one file, journal; it is durable once
// that file was synced. All numbers are big-endian, every sum is CRC-32C.
//
//	0     head A     64 bytes
//	512   head B     64 bytes; generation 0 before the first merge
//	1024  mark A     64 bytes
//	1536  mark B     64 bytes
//	4096  frames, one a transaction, without gaps
//
//	head   "techo journal\n\x00\x00" version(4) generation(8) zeros sum(4)
//	mark   generation(8) transactions(8) end(8) zeros sum(4)
//	frame  length(4) sum(4) generation(8) number(8) payload
//	       the sum covers generation, number and payload; length is the payload's
//	payload  operations: 1 keyLength key valueLength value   put
//	                     2 keyLength key                     delete
//	         lengths are unsigned varints
//
// A generation ends when its frames were merged into the tables: the head that
// was not in use is written with the next generation, which makes every frame
// of the old one void at once. The valid head with the higher generation counts.
//
// A mark is written after the sync of the frames that it counts, turn about, and
// never synced itself. A bad frame that a mark counts was safe once: the file
// is corrupt. A bad frame past the mark was never acknowledged: a torn end,
// which is dropped.
//
// A head or a mark lies within a sector, so that it is written whole or not at
// all: a damaged head is rot, and the file is corrupt.
const (
	journalName   = "journal"
	formatVersion = 1

	slotSize   = 64
	headAt     = 0
	markAt     = 1024
	slotStride = 512
	framesAt   = 4096
	frameHead  = 24

	maxPayload = 1 << 30
)

const journalMagic = "techo journal\n\x00\x00"

const (
	opPut    = 1
	opDelete = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(parts ...[]byte) uint32 {
	var s uint32
	for _, p := range parts {
		s = crc32.Update(s, castagnoli, p)
	}
	return s
}

// journal is one opening of the journal file. Its fields say what is known of
// the file as of the last refresh.
type journal struct {
	path string
	file *os.File

	generation uint64
	number     uint64 // transactions in this generation
	end        int64  // where the next frame goes
	marked     uint64 // those that are known to be durable
	dirty      bool   // bytes behind end have to be cut off before writing
}

// openJournal opens the file, and with write creates it. The file may be
// missing when nothing was ever written; then the journal's file is nil.
func openJournal(path string, write bool) (*journal, error) {
	j := &journal{path: path}
	how := os.O_RDONLY
	if write {
		how = os.O_RDWR | os.O_CREATE
	}
	f, err := openRegular(path, how)
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

func (j *journal) corrupt(format string, args ...any) error {
	return &CorruptError{Path: j.path, Reason: fmt.Sprintf(format, args...)}
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
	there, err := os.Stat(j.path)
	return err != nil || !os.SameFile(mine, there)
}

// refresh reads what other processes have appended since the last refresh and
// hands every operation to apply. When the generation is another one, it first
// calls restart, since the tables have changed as well. The caller has a lock.
func (j *journal) refresh(restart func(), apply func(op byte, key, value []byte)) error {
	if j.file == nil {
		return nil
	}
	st, err := j.file.Stat()
	if err != nil {
		return err
	}
	slots := make([]byte, framesAt)
	n, err := j.file.ReadAt(slots, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if j.generation == 0 && st.Size() <= framesAt && isZero(slots) {
		// Created, and its first write never got to the disk. Tables would say
		// that it had more in it once.
		return j.unborn()
	}
	if n < framesAt {
		return j.corrupt("cut off at %d bytes", st.Size())
	}
	generation, err := j.readHead(slots)
	if err != nil {
		return err
	}
	if generation != j.generation || st.Size() < j.end { // cut off behind our back: look again
		restart()
		j.generation, j.number, j.end = generation, 0, framesAt
	}
	j.marked = j.readMark(slots)
	return j.readFrames(st.Size(), j.marked, apply)
}

// settle makes durable what another process wrote and, killed, never synced,
// before a writer builds on it. What was not synced is written again first: a
// sync that failed once leaves pages that the system takes for written.
func (j *journal) settle() error {
	if j.file == nil || j.generation == 0 {
		return nil
	}
	if j.number == 0 && j.dirty {
		// The generation before still has its frames: its end was not seen to
		// the end, so that the head may not be durable.
		if err := j.rewrite(headAt+int64((j.generation-1)%2)*slotStride, slotSize); err != nil {
			return err
		}
	}
	if j.number <= j.marked {
		return nil
	}
	if err := j.rewrite(framesAt, j.end-framesAt); err != nil {
		return err
	}
	if j.generation == 1 {
		if err := j.settleFolder(); err != nil {
			return err
		}
	}
	j.writeMark()
	return nil
}

// rewrite writes what the file holds at a place there again, durably.
func (j *journal) rewrite(at, size int64) error {
	b := make([]byte, size)
	if _, err := j.file.ReadAt(b, at); err != nil {
		return err
	}
	if _, err := j.file.WriteAt(b, at); err != nil {
		return err
	}
	return j.file.Sync()
}

// settleFolder makes the entries of a new store durable: the journal's in its
// folder, and the folder's in its own. It leaves the mark by which a journal
// that is gone later is missed.
func (j *journal) settleFolder() error {
	if err := syncFolder(j.path); err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(j.path)); err != nil {
		return err
	}
	return j.keep()
}

// keptMark stands in the file queue, behind what that is for.
const (
	keptMark = "techo\n"
	keptAt   = 8
)

func (j *journal) keep() error {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(j.path), queueName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(keptMark), keptAt); err != nil {
		return err
	}
	return f.Sync()
}

// unborn fails when a journal that is missing or empty was written once: there
// are tables, which are made by merges, or the mark says so.
func (j *journal) unborn() error {
	dir := filepath.Dir(j.path)
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if slices.ContainsFunc(names, func(n os.DirEntry) bool { return n.Name() == tablesName }) {
		return j.corrupt("missing, while there are tables")
	}
	f, err := os.Open(filepath.Join(dir, queueName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	mark := make([]byte, len(keptMark))
	if _, err := f.ReadAt(mark, keptAt); err == nil && string(mark) == keptMark {
		return j.corrupt("missing, while the store has kept something")
	}
	return nil
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

func (j *journal) readHead(slots []byte) (generation uint64, err error) {
	for i := range int64(2) {
		s := slots[headAt+i*slotStride:][:slotSize]
		if string(s[:16]) != journalMagic || sum(s[:60]) != binary.BigEndian.Uint32(s[60:]) {
			// It may have been the newer one, and the other is out of date.
			return 0, j.corrupt("head %d is damaged", i+1)
		}
		if v := int(binary.BigEndian.Uint32(s[16:])); v > formatVersion {
			return 0, &VersionError{Path: j.path, Found: v, Known: formatVersion}
		}
		generation = max(generation, binary.BigEndian.Uint64(s[20:]))
	}
	return generation, nil
}

// readMark returns how many transactions of the generation were once safe.
func (j *journal) readMark(slots []byte) (number uint64) {
	for i := range int64(2) {
		s := slots[markAt+i*slotStride:][:slotSize]
		if sum(s[:60]) != binary.BigEndian.Uint32(s[60:]) || binary.BigEndian.Uint64(s) != j.generation {
			continue
		}
		number = max(number, binary.BigEndian.Uint64(s[8:]))
	}
	return number
}

func (j *journal) readFrames(size int64, marked uint64, apply func(op byte, key, value []byte)) error {
	j.dirty = false
	if size > j.end {
		buf := make([]byte, size-j.end)
		if _, err := j.file.ReadAt(buf, j.end); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for len(buf) > 0 {
			payload, ok := frame(buf, j.generation, j.number)
			if !ok || !operations(payload, apply) {
				break
			}
			buf = buf[frameHead+len(payload):]
			j.end += int64(frameHead + len(payload))
			j.number++
		}
		j.dirty = len(buf) > 0
	}
	if j.number < marked {
		return j.corrupt("transaction %d of %d is damaged, at byte %d", j.number+1, marked, j.end)
	}
	return nil
}

// frame returns the payload of the frame at the start of buf.
func frame(buf []byte, generation, number uint64) (payload []byte, ok bool) {
	if len(buf) < frameHead {
		return nil, false
	}
	n := binary.BigEndian.Uint32(buf)
	if n > maxPayload || int(n) > len(buf)-frameHead {
		return nil, false
	}
	body := buf[8 : frameHead+int(n)]
	if binary.BigEndian.Uint64(body) != generation || binary.BigEndian.Uint64(body[8:]) != number ||
		sum(body) != binary.BigEndian.Uint32(buf[4:]) {
		return nil, false
	}
	return body[16:], true
}

// operations hands every operation of a payload to apply. It returns false,
// before the first, for a payload that is not well formed.
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

func appendPut(payload, key, value []byte) []byte {
	payload = append(binary.AppendUvarint(append(payload, opPut), uint64(len(key))), key...)
	return append(binary.AppendUvarint(payload, uint64(len(value))), value...)
}

func appendDelete(payload, key []byte) []byte {
	return append(binary.AppendUvarint(append(payload, opDelete), uint64(len(key))), key...)
}

// errGone says that the folder was removed or exchanged while it was written to.
var errGone = errors.New("store: its folder was taken away meanwhile; nothing was kept")

// append writes a payload as a frame, syncs and returns when it is durable. The
// caller has the lock alone. After an error the frame is void, and the journal
// has to be read anew.
func (j *journal) append(payload []byte) error {
	if j.generation == 0 {
		if err := j.begin(1); err != nil {
			return err
		}
	}
	if j.dirty {
		if err := j.file.Truncate(j.end); err != nil {
			return err
		}
		j.dirty = false
	}
	buf := make([]byte, frameHead, frameHead+len(payload))
	binary.BigEndian.PutUint32(buf, uint32(len(payload)))
	binary.BigEndian.PutUint64(buf[8:], j.generation)
	binary.BigEndian.PutUint64(buf[16:], j.number)
	binary.BigEndian.PutUint32(buf[4:], sum(buf[8:], payload))
	buf = append(buf, payload...)
	_, err := j.file.WriteAt(buf, j.end)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil && j.generation == 1 && j.number == 0 {
		err = j.settleFolder()
	}
	if err == nil && j.replaced() {
		err = errGone
	}
	if err != nil {
		// Whatever part of it reached the disk must not come to life later.
		if j.file.Truncate(j.end) != nil {
			_, _ = j.file.WriteAt(make([]byte, frameHead), j.end)
		}
		_ = j.file.Sync()
		return err
	}
	j.end += int64(len(buf))
	j.number++
	j.writeMark()
	return nil
}

// writeMark notes that all transactions so far are durable. It is only a help
// to tell rot from a torn end; that it fails harms nothing.
func (j *journal) writeMark() {
	j.marked = j.number
	_, _ = j.file.WriteAt(j.mark(), markAt+int64(j.number%2)*slotStride)
}

func (j *journal) mark() []byte {
	s := make([]byte, slotSize)
	binary.BigEndian.PutUint64(s, j.generation)
	binary.BigEndian.PutUint64(s[8:], j.number)
	binary.BigEndian.PutUint64(s[16:], uint64(j.end))
	binary.BigEndian.PutUint32(s[60:], sum(s[:60]))
	return s
}

func headOf(generation uint64) []byte {
	s := make([]byte, slotSize)
	copy(s, journalMagic)
	binary.BigEndian.PutUint32(s[16:], formatVersion)
	binary.BigEndian.PutUint64(s[20:], generation)
	binary.BigEndian.PutUint32(s[60:], sum(s[:60]))
	return s
}

// begin starts a generation, with no frames in it.
func (j *journal) begin(generation uint64) error {
	s := headOf(generation)
	if generation == 1 {
		// The very first: the file gets its whole head in one write.
		s = append(s, make([]byte, framesAt-slotSize)...)
		copy(s[slotStride:], headOf(0)) // so that a sector of zeros is always rot
	}
	at := headAt + int64((generation-1)%2)*slotStride
	_, err := j.file.WriteAt(s, at)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		if generation == 1 {
			_ = j.file.Truncate(0)
		}
		return err
	}
	j.generation, j.number, j.end = generation, 0, framesAt
	// The frames of the generation before are void already; this frees them.
	if err := j.file.Truncate(framesAt); err != nil {
		j.dirty = true
	}
	return nil
}
