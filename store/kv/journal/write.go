package journal

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
	"techo/store/kv"
	"techo/store/kv/disk"
)

// Append writes a payload as one frame and syncs it. The caller has the store's
// lock exclusively; lockLost reports whether the lock file was removed meanwhile.
// After an error the frame is discarded, and the journal has to be read again.
func (j *Log) Append(payload []byte, lockLost func() bool) error {
	if err := j.Verify(lockLost); err != nil {
		return err
	}
	err := j.extend(payload, lockLost)
	if err != nil && j.Replaced() {
		return kv.ErrGone // the cause of the error
	}
	return err
}

func (j *Log) extend(payload []byte, lockLost func() bool) error {
	if j.Generation == 0 {
		if err := j.Begin(1); err != nil {
			return err
		}
	}
	if j.size > j.End {
		if err := j.File.Truncate(j.End); err != nil {
			return err
		}
	}
	buf := AppendFrame(nil, j.Generation, j.Number, payload)
	_, err := j.File.WriteAt(buf, j.End)
	if err == nil {
		err = j.File.Sync()
	}
	if err == nil && j.Generation == 1 && j.Number == 0 {
		err = j.SyncNewStore()
	}
	if err == nil && j.Replaced() {
		err = kv.ErrGone
	}
	lone := !lockLost()
	if err == nil && !lone && !j.holds(buf[:FrameHeader], j.End) {
		return kv.ErrGone // another writer has overwritten the frame
	}
	after := *j
	after.last = bytes.Clone(buf[:FrameHeader]) // not the frame, which may be large
	after.End += int64(len(buf))
	after.size = after.End
	after.Number++
	if err == nil {
		err = after.writeWatermark() // from now on readers see the transaction
		if err != nil && (!lone || j.retractWatermark() != nil) {
			return err // a watermark may count the frame, so it stays
		}
	}
	if err != nil {
		if lone { // otherwise another writer may have appended after it
			j.discard(err)
		}
		return err
	}
	*j = after
	j.writeKeys(j.Number-1, payload)
	return nil
}

// Verify fails with ErrGone when the file has changed since the last refresh:
// another process wrote in spite of the lock, because its file was removed or the
// file system ignores locks.
func (j *Log) Verify(lockLost func() bool) error {
	if j.Replaced() || lockLost() {
		return kv.ErrGone
	}
	st, err := j.File.Stat()
	if err != nil {
		return err
	}
	if st.Size() != j.size {
		return kv.ErrGone
	}
	if j.Generation == 0 {
		return nil
	}
	heads := make([]byte, WatermarkAt)
	if _, err := j.File.ReadAt(heads, 0); err != nil {
		return err
	}
	if generation, err := j.ReadHeader(heads); err != nil || generation != j.Generation {
		return errors.Join(kv.ErrGone, err)
	}
	if j.last != nil {
		n := int64(binary.BigEndian.Uint32(j.last))
		if !j.holds(j.last, j.End-n-FrameHeader) {
			return kv.ErrGone
		}
	}
	return nil
}

// holds reports whether the file has these bytes at an offset.
func (j *Log) holds(want []byte, at int64) bool {
	got := make([]byte, len(want))
	_, err := j.File.ReadAt(got, at)
	return err == nil && bytes.Equal(got, want)
}

// discard removes a frame whose write failed, so that no part of it is ever read
// as a transaction. If that cannot be made durable, zeros remain after the end;
// the next writer treats them as a torn end and discards them.
func (j *Log) discard(reason error) {
	if disk.IsFull(reason) { // the frame is incomplete, and the space is needed
		if j.File.Truncate(j.End) == nil {
			_ = j.File.Sync()
			return
		}
	}
	_ = j.discardTail()
}

// discardTail overwrites the frame header after the end, syncs, and cuts the file
// off there.
func (j *Log) discardTail() error {
	_, err := j.File.WriteAt(make([]byte, FrameHeader), j.End)
	if err != nil { // perhaps the disk is full
		if err := j.File.Truncate(j.End); err != nil {
			return err
		}
	}
	if err := j.File.Sync(); err != nil {
		return err
	}
	if err := j.File.Truncate(j.End); err != nil {
		return err
	}
	j.size = j.End
	return nil
}

// SyncRead makes frames durable that a killed writer did not sync, before a reader
// returns them: a power failure would take them back. Nothing is done where a
// reader cannot sync.
func (j *Log) SyncRead() error {
	if j.File == nil || j.Generation == 0 || j.headerDurable && j.Number <= j.durable {
		return nil
	}
	err := j.File.Sync()
	if err == nil && j.Generation == 1 && j.durable == 0 {
		err = errors.Join(disk.Current.SyncFolder(j.Path), disk.Current.SyncFolder(filepath.Dir(j.Path)))
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return atomicfile.IgnoreUnsupported(err)
}

// Resync makes frames durable that another process appended but never synced,
// before a writer appends to them. It writes them again first: after a failed sync
// the system treats the pages as clean.
func (j *Log) Resync() error {
	if j.File == nil || j.Generation == 0 || j.headerDurable && j.Number <= j.durable && j.size == j.End {
		return nil
	}
	from := int64(FramesAt)
	if !j.headerDurable {
		from = 0 // the header as well
	}
	if !j.headerDurable || j.Number > j.durable {
		if err := j.rewrite(from, j.End); err != nil {
			return err
		}
	}
	if !j.headerDurable || j.size == j.End { // until the header is durable, the frames in the tail count
		if err := j.File.Sync(); err != nil {
			return err
		}
	}
	if !j.headerDurable { // nor may the manifest of its generation be
		manifest := filepath.Join(filepath.Dir(j.Path), disk.TablesName, disk.ManifestName)
		if err := disk.Current.SyncFolder(manifest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if j.size > j.End {
		if err := j.discardTail(); err != nil { // syncs as well
			return err
		}
	}
	if j.Generation == 1 && j.durable == 0 && j.Number > 0 {
		if err := j.SyncNewStore(); err != nil {
			return err
		}
	}
	return j.writeWatermark()
}

// rewrite writes the bytes between two offsets again.
func (j *Log) rewrite(from, to int64) error {
	buf := make([]byte, min(window, to-from))
	for at := from; at < to; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), to-at)]
		if _, err := j.File.ReadAt(buf, at); err != nil {
			return err
		}
		if _, err := j.File.WriteAt(buf, at); err != nil {
			return err
		}
	}
	return nil
}

// SyncNewStore makes the directory entries of a new store durable and marks the
// store as created.
func (j *Log) SyncNewStore() error {
	if err := disk.Current.SyncFolder(j.Path); err != nil {
		return err
	}
	if err := disk.Current.SyncFolder(filepath.Dir(j.Path)); err != nil {
		return err
	}
	if j.Replaced() {
		return kv.ErrGone // the mark would go into another store
	}
	return markCreated(filepath.Dir(j.Path))
}

// createdMark is written to the file queue once the store has its first record. A
// journal that is missing later is then an error.
const (
	createdMark = "techo\n"
	createdAt   = 8
)

func markCreated(dir string) error {
	f, err := disk.Current.Open(os.O_RDWR|os.O_CREATE, dir, disk.QueueName)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(createdMark), createdAt); err != nil {
		return err
	}
	return f.Sync()
}

// CheckMissing fails when a missing or empty journal held data once: there are
// tables, or the store is marked as created.
func (j *Log) CheckMissing() error {
	dir := filepath.Dir(j.Path)
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if slices.ContainsFunc(names, func(n os.DirEntry) bool { return n.Name() == disk.TablesName }) {
		return j.corrupt(kv.MissingBesideTables)
	}
	f, err := disk.OpenEntry(os.O_RDONLY, dir, disk.QueueName)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	mark := make([]byte, len(createdMark))
	if _, err := f.ReadAt(mark, createdAt); err == nil && string(mark) == createdMark {
		return j.corrupt(kv.MissingAfterWrites)
	}
	return nil
}

// writeWatermark records that all transactions so far are durable. Readers see them from
// then on, and a torn end differs from damage.
func (j *Log) writeWatermark() error {
	j.durable, j.headerDurable = j.Number, true
	_, err := j.File.WriteAt(j.watermark(), watermarkOf(j.Number))
	return err
}

// watermarkOf returns the offset of the watermark after a number of transactions.
func watermarkOf(number uint64) int64 { return WatermarkAt + int64(number%2)*SlotStride }

// retractWatermark overwrites the next watermark with the present one, and syncs. A write of it
// that failed may have had effect, and the frame that it counts is about to be discarded.
func (j *Log) retractWatermark() error {
	if _, err := j.File.WriteAt(j.watermark(), watermarkOf(j.Number+1)); err != nil {
		return err
	}
	return j.File.Sync()
}

// Unmark removes the watermarks of a generation without transactions, so that the next writer
// makes its header and its manifest durable.
func (j *Log) Unmark() error {
	_, err := j.File.WriteAt(make([]byte, SlotStride+SlotSize), WatermarkAt)
	return err
}

// Next starts the next generation. It fails when another process has written
// meanwhile.
func (j *Log) Next(generation uint64, lockLost func() bool) error {
	if err := j.Verify(lockLost); err != nil {
		return err
	}
	return j.Begin(generation)
}

// Begin starts a generation without frames.
func (j *Log) Begin(generation uint64) error {
	s := HeaderOf(generation)
	if generation == 1 {
		// The first header is written together with the rest of the first page.
		s = append(s, make([]byte, FramesAt-SlotSize)...)
		copy(s[SlotStride:], HeaderOf(0)) // so that a sector of zeros is always damage
	}
	at := HeaderAt + int64((generation-1)%2)*SlotStride
	_, err := j.File.WriteAt(s, at)
	if err == nil {
		err = j.File.Sync()
	}
	if err != nil {
		if generation == 1 {
			_ = j.File.Truncate(0)
		}
		return err
	}
	j.begin(generation)
	j.size = max(j.size, FramesAt)
	// The header invalidates the frames of the last generation; this frees them.
	if j.size > FramesAt && j.File.Truncate(FramesAt) == nil {
		j.size = FramesAt
	}
	// Without a watermark the next writer writes the header again, which it must when
	// this sync failed but the header is visible.
	_ = j.writeWatermark()
	return nil
}
