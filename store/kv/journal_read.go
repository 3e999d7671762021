package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// refresh reads the frames that were appended since the last refresh and calls
// apply for every operation. When the generation has changed, it calls restart
// first. The caller has the store's lock.
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
	j.size = st.Size()
	if j.generation == 0 && j.size <= framesAt && isZero(slots) {
		// The file was created, but its first write did not reach the disk.
		return j.checkMissing()
	}
	generation, err := j.readHeader(slots)
	if n < framesAt && !errors.As(err, new(*VersionError)) {
		err = j.corrupt(CutOff, j.size)
	}
	if err != nil {
		if j.generation == 0 && j.size <= framesAt && isZero(slots[watermarkAt:]) && isCorruption(err) &&
			j.checkMissing() == nil {
			return nil // the first write was torn, and so never acknowledged
		}
		return err
	}
	// another generation, or the file was cut off: read it from the start
	if generation != j.generation || j.size < j.end {
		restart()
		j.generation, j.number, j.end, j.last = generation, 0, framesAt, nil
	}
	j.durable, j.headerDurable = j.readWatermark(slots)
	return j.readFrames(apply)
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// readHeader returns the generation of the newer header.
func (j *journal) readHeader(slots []byte) (generation uint64, err error) {
	for i := range int64(2) {
		s := slots[headerAt+i*slotStride:][:slotSize]
		if string(s[:16]) != journalMagic || sum(s[:60]) != binary.BigEndian.Uint32(s[60:]) {
			// The damaged header may be the newer one.
			return 0, j.corrupt(DamagedHeader, i+1)
		}
		version := int(binary.BigEndian.Uint32(s[16:]))
		if version > formatVersion {
			return 0, &VersionError{Path: j.path, Found: version, Known: formatVersion}
		}
		generation = max(generation, binary.BigEndian.Uint64(s[20:]))
	}
	return generation, nil
}

// readWatermark returns how many transactions of the generation were durable at
// the last watermark, and whether the generation has a watermark.
func (j *journal) readWatermark(slots []byte) (number uint64, found bool) {
	for i := range int64(2) {
		s := slots[watermarkAt+i*slotStride:][:slotSize]
		if sum(s[:60]) != binary.BigEndian.Uint32(s[60:]) || binary.BigEndian.Uint64(s) != j.generation {
			continue
		}
		number, found = max(number, binary.BigEndian.Uint64(s[8:])), true
	}
	return number, found
}

// window is the size of one read of the journal. A larger frame is read as a
// whole. The file may be much larger than its frames.
const window = 1 << 20

// readFrames reads frames from j.end on, up to the first incomplete one.
func (j *journal) readFrames(apply func(op byte, key, value []byte)) error {
	for j.end < j.size {
		buf := make([]byte, min(window, j.size-j.end))
		if _, err := j.file.ReadAt(buf, j.end); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		n := j.take(buf, apply)
		if n == 0 && int64(len(buf)) < j.size-j.end {
			var err error
			if buf, err = j.largeFrame(buf); err != nil {
				return err
			}
			n = j.take(buf, apply)
		}
		if n == 0 {
			break
		}
	}
	if j.number < j.durable {
		return j.corrupt(DamagedTransaction, j.number+1, j.durable, j.end)
	}
	return nil
}

// take applies the complete frames at the start of buf, which was read at j.end,
// and returns their number.
func (j *journal) take(buf []byte, apply func(op byte, key, value []byte)) (frames int) {
	for {
		payload, ok := frame(buf, j.generation, j.number)
		if !ok || !operations(payload, apply) {
			return frames
		}
		j.last = bytes.Clone(buf[:frameHeader])
		buf = buf[frameHeader+len(payload):]
		j.end += int64(frameHeader + len(payload))
		j.number++
		frames++
	}
}

// largeFrame returns a frame at j.end that is larger than a window, or nil. It
// verifies the checksum before it allocates the memory.
func (j *journal) largeFrame(start []byte) ([]byte, error) {
	n := int64(binary.BigEndian.Uint32(start))
	if n > maxPayload || frameHeader+n > j.size-j.end || frameHeader+n <= int64(len(start)) ||
		binary.BigEndian.Uint64(start[8:]) != j.generation || binary.BigEndian.Uint64(start[16:]) != j.number {
		return nil, nil
	}
	digest := crc32.New(castagnoli)
	if _, err := io.Copy(digest, io.NewSectionReader(j.file, j.end+8, frameHeader-8+n)); err != nil {
		return nil, err
	}
	if digest.Sum32() != binary.BigEndian.Uint32(start[4:]) {
		return nil, nil
	}
	buf := make([]byte, frameHeader+n)
	_, err := j.file.ReadAt(buf, j.end)
	return buf, err
}
