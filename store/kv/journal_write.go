package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"techo/internal/atomicfile"
)

// append writes a payload as one frame and syncs it. The caller has the store's
// lock exclusively; lockLost reports whether the lock file was removed meanwhile.
// After an error the frame is discarded, and the journal has to be read again.
func (j *journal) append(payload []byte, lockLost func() bool) error {
	if err := j.verify(lockLost); err != nil {
		return err
	}
	if err := j.extend(payload, lockLost); err != nil {
		if j.replaced() {
			return ErrGone // the cause of the error
		}
		return err
	}
	j.writeWatermark()
	return nil
}

func (j *journal) extend(payload []byte, lockLost func() bool) error {
	if j.generation == 0 {
		if err := j.begin(1); err != nil {
			return err
		}
	}
	if j.size > j.end {
		if err := j.file.Truncate(j.end); err != nil {
			return err
		}
	}
	buf := make([]byte, frameHeader, frameHeader+len(payload))
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
		err = j.syncNewStore()
	}
	if err == nil && j.replaced() {
		err = ErrGone
	}
	lone := !lockLost()
	if err == nil && !lone && !j.holds(buf[:frameHeader], j.end) {
		return ErrGone // another writer has overwritten the frame
	}
	if err != nil {
		if lone { // otherwise another writer may have appended after it
			j.discard(err)
		}
		return err
	}
	j.last = buf[:frameHeader:frameHeader]
	j.end += int64(len(buf))
	j.size = j.end
	j.writeKeys(j.number, payload)
	j.number++
	return nil
}

// verify fails with ErrGone when the file has changed since the last refresh:
// another process wrote in spite of the lock, because its file was removed or the
// file system ignores locks.
func (j *journal) verify(lockLost func() bool) error {
	if j.replaced() || lockLost() {
		return ErrGone
	}
	st, err := j.file.Stat()
	if err != nil {
		return err
	}
	if st.Size() != j.size {
		return ErrGone
	}
	if j.generation == 0 {
		return nil
	}
	heads := make([]byte, watermarkAt)
	if _, err := j.file.ReadAt(heads, 0); err != nil {
		return err
	}
	if generation, err := j.readHeader(heads); err != nil || generation != j.generation {
		return errors.Join(ErrGone, err)
	}
	if j.last != nil {
		n := int64(binary.BigEndian.Uint32(j.last))
		if !j.holds(j.last, j.end-n-frameHeader) {
			return ErrGone
		}
	}
	return nil
}

// holds reports whether the file has these bytes at an offset.
func (j *journal) holds(want []byte, at int64) bool {
	got := make([]byte, len(want))
	_, err := j.file.ReadAt(got, at)
	return err == nil && bytes.Equal(got, want)
}

// discard removes a frame whose write failed, so that no part of it is ever read
// as a transaction. If that cannot be made durable, zeros remain after the end;
// the next writer treats them as a torn end and discards them.
func (j *journal) discard(reason error) {
	if isNoSpace(reason) { // the frame is incomplete, and the space is needed
		if j.file.Truncate(j.end) == nil {
			_ = j.file.Sync()
			return
		}
	}
	_ = j.discardTail()
}

// discardTail overwrites the frame header after the end, syncs, and cuts the file
// off there.
func (j *journal) discardTail() error {
	_, err := j.file.WriteAt(make([]byte, frameHeader), j.end)
	if err != nil { // perhaps the disk is full
		if err := j.file.Truncate(j.end); err != nil {
			return err
		}
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	j.size = j.end
	return nil
}

// syncRead makes frames durable that a killed writer did not sync, before a reader
// returns them: a power failure would take them back. Nothing is done where a
// reader cannot sync.
func (j *journal) syncRead() error {
	if j.file == nil || j.generation == 0 || j.headerDurable && j.number <= j.durable {
		return nil
	}
	err := j.file.Sync()
	if err == nil && j.generation == 1 && j.durable == 0 {
		err = errors.Join(disk.syncFolder(j.path), disk.syncFolder(filepath.Dir(j.path)))
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return atomicfile.IgnoreUnsupported(err)
}

// resync makes frames durable that another process appended but never synced,
// before a writer appends to them. It writes them again first: after a failed sync
// the system treats the pages as clean.
func (j *journal) resync() error {
	if j.file == nil || j.generation == 0 || j.headerDurable && j.number <= j.durable && j.size == j.end {
		return nil
	}
	from := int64(framesAt)
	if !j.headerDurable {
		from = 0 // the header as well
	}
	if !j.headerDurable || j.number > j.durable {
		if err := j.rewrite(from, j.end); err != nil {
			return err
		}
	}
	if j.size > j.end {
		if err := j.discardTail(); err != nil { // syncs as well
			return err
		}
	} else if err := j.file.Sync(); err != nil {
		return err
	}
	if j.generation == 1 && j.durable == 0 && j.number > 0 {
		if err := j.syncNewStore(); err != nil {
			return err
		}
	}
	j.writeWatermark()
	return nil
}

// rewrite writes the bytes between two offsets again.
func (j *journal) rewrite(from, to int64) error {
	buf := make([]byte, min(window, to-from))
	for at := from; at < to; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), to-at)]
		if _, err := j.file.ReadAt(buf, at); err != nil {
			return err
		}
		if _, err := j.file.WriteAt(buf, at); err != nil {
			return err
		}
	}
	return nil
}

// syncNewStore makes the directory entries of a new store durable and marks the
// store as created.
func (j *journal) syncNewStore() error {
	if err := disk.syncFolder(j.path); err != nil {
		return err
	}
	if err := disk.syncFolder(filepath.Dir(j.path)); err != nil {
		return err
	}
	if j.replaced() {
		return ErrGone // the mark would go into another store
	}
	return j.markCreated()
}

// createdMark is written to the file queue once the store has its first record. A
// journal that is missing later is then an error.
const (
	createdMark = "techo\n"
	createdAt   = 8
)

func (j *journal) markCreated() error {
	f, err := disk.open(os.O_RDWR|os.O_CREATE, filepath.Dir(j.path), queueName)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(createdMark), createdAt); err != nil {
		return err
	}
	return f.Sync()
}

// checkMissing fails when a missing or empty journal held data once: there are
// tables, or the store is marked as created.
func (j *journal) checkMissing() error {
	dir := filepath.Dir(j.path)
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if slices.ContainsFunc(names, func(n os.DirEntry) bool { return n.Name() == tablesName }) {
		return j.corrupt(MissingBesideTables)
	}
	f, err := openEntry(dir, queueName, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	mark := make([]byte, len(createdMark))
	if _, err := f.ReadAt(mark, createdAt); err == nil && string(mark) == createdMark {
		return j.corrupt(MissingAfterWrites)
	}
	return nil
}

// writeWatermark records that all transactions so far are durable. It
// distinguishes damage from a torn end; errors are ignored.
func (j *journal) writeWatermark() {
	j.durable, j.headerDurable = j.number, true
	_, _ = j.file.WriteAt(j.watermark(), watermarkAt+int64(j.number%2)*slotStride)
}

// next starts the next generation. It fails when another process has written
// meanwhile.
func (j *journal) next(generation uint64, lockLost func() bool) error {
	if err := j.verify(lockLost); err != nil {
		return err
	}
	return j.begin(generation)
}

// begin starts a generation without frames.
func (j *journal) begin(generation uint64) error {
	s := headerOf(generation)
	if generation == 1 {
		// The first header is written together with the rest of the first page.
		s = append(s, make([]byte, framesAt-slotSize)...)
		copy(s[slotStride:], headerOf(0)) // so that a sector of zeros is always damage
	}
	at := headerAt + int64((generation-1)%2)*slotStride
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
	j.generation, j.number, j.end, j.last = generation, 0, framesAt, nil
	j.size = max(j.size, framesAt)
	// The header invalidates the frames of the last generation; this frees them.
	if j.size > framesAt && j.file.Truncate(framesAt) == nil {
		j.size = framesAt
	}
	// Without a watermark the next writer writes the header again, which it must when
	// this sync failed but the header is visible.
	j.writeWatermark()
	return nil
}
