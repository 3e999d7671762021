package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// Refresh reads the frames that were appended since the last refresh and calls
// apply for every operation. When the generation has changed, it calls restart
// first. The caller has the store's lock.
func (j *Log) Refresh(restart func(), apply func(op byte, key, value []byte)) error {
	if j.File == nil {
		return nil
	}
	st, err := j.File.Stat()
	if err != nil {
		return err
	}
	slots := make([]byte, FramesAt)
	n, err := j.File.ReadAt(slots, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	j.size = st.Size()
	if j.Generation == 0 && j.size <= FramesAt && isZero(slots) {
		// The file was created, but its first write did not reach the disk.
		return j.CheckMissing()
	}
	generation, err := j.ReadHeader(slots)
	if n < FramesAt && !errors.As(err, new(*kv.VersionError)) {
		err = j.corrupt(kv.CutOff, j.size)
	}
	if err != nil {
		if j.Generation == 0 && j.size <= FramesAt && isZero(slots[WatermarkAt:]) && kv.IsCorrupt(err) &&
			j.CheckMissing() == nil {
			return nil // the first write was torn, and so never acknowledged
		}
		return err
	}
	// another generation, or the file was cut off: read it from the start
	if generation != j.Generation || j.size < j.End {
		restart()
		j.begin(generation)
	}
	j.durable, j.headerDurable = j.ReadWatermark(slots)
	return j.readFrames(apply)
}

// Followed is the outcome of Follow.
type Followed int

// The outcomes.
const (
	Settled   Followed = iota // all that was acknowledged before was read, and nothing else
	Contended                 // likewise, if the frame behind was not acknowledged before a crash
	Unsettled                 // the file is changing, or damaged
)

// Follow is Refresh without the lock: it reads the frames up to the watermark, which are
// durable, and none behind. Unless it is settled, what was read so far stays a valid
// beginning of the generation.
func (j *Log) Follow(restart func(), apply func(op byte, key, value []byte)) Followed {
	at, ok := j.Look()
	switch {
	case !ok:
		return Unsettled
	case at.Generation == 0 && j.Generation == 0:
		return Settled // nothing was ever written
	case at.Generation == j.Generation && at.Number < j.Number:
		return Unsettled // a crash left durable frames above the watermark
	case at.Generation != j.Generation:
		restart()
		j.begin(at.Generation)
	}
	j.size, j.durable, j.headerDurable = at.End, at.Number, at.marked
	if j.readFrames(apply) != nil || j.Number != at.Number || j.End != at.End {
		return Unsettled
	}
	head := make([]byte, FrameHeader)
	if n, _ := j.File.ReadAt(head, j.End); n == FrameHeader && binary.BigEndian.Uint64(head[8:]) == j.Generation &&
		binary.BigEndian.Uint64(head[16:]) == j.Number {
		return Contended
	}
	return Settled
}

// Position is how far a journal is durable.
type Position struct {
	Generation, Number uint64
	End                int64
	marked             bool // there is a watermark
}

// Look reads the position that the file has now. It is not ok if the file is changing, or
// damaged.
func (j *Log) Look() (at Position, ok bool) {
	slots := make([]byte, FramesAt)
	for range 3 {
		n, err := j.File.ReadAt(slots, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return at, false
		}
		if isZero(slots[:n]) {
			return at, j.CheckMissing() == nil
		}
		if at.Generation, err = j.ReadHeader(slots); n < FramesAt || err != nil {
			continue
		}
		if at, ok = positionIn(slots, at.Generation); ok {
			return at, true
		}
	}
	return at, false
}

// Now returns the generation that the file has now.
func (j *Log) Now() (generation uint64, err error) {
	heads := make([]byte, WatermarkAt)
	for range 3 { // a header may be half written
		if _, err = j.File.ReadAt(heads, 0); err != nil {
			return 0, err
		}
		if generation, err = j.ReadHeader(heads); err == nil {
			break
		}
	}
	return generation, err
}

// positionIn returns the position in the slots of a file. It is not ok if a watermark was
// half written, or belongs to a later generation than the header.
func positionIn(slots []byte, generation uint64) (at Position, ok bool) {
	at = Position{Generation: generation, End: FramesAt}
	for i := range int64(2) {
		s := slots[WatermarkAt+i*SlotStride:][:SlotSize]
		if isZero(s) {
			continue
		}
		of := binary.BigEndian.Uint64(s)
		if disk.Checksum(s[:60]) != binary.BigEndian.Uint32(s[60:]) || of > generation {
			return at, false
		}
		if number := binary.BigEndian.Uint64(s[8:]); of == generation && number >= at.Number {
			at.Number, at.End, at.marked = number, int64(binary.BigEndian.Uint64(s[16:])), true
		}
	}
	return at, true
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// begin moves to the start of a generation.
func (j *Log) begin(generation uint64) {
	j.Generation, j.Number, j.End, j.last = generation, 0, FramesAt, nil
}

// ReadHeader returns the generation of the newer header.
func (j *Log) ReadHeader(slots []byte) (generation uint64, err error) {
	for i := range int64(2) {
		s := slots[HeaderAt+i*SlotStride:][:SlotSize]
		if string(s[:16]) != Magic || disk.Checksum(s[:60]) != binary.BigEndian.Uint32(s[60:]) {
			// The damaged header may be the newer one.
			return 0, j.corrupt(kv.DamagedHeader, i+1)
		}
		version := int(binary.BigEndian.Uint32(s[16:]))
		if version > Format {
			return 0, &kv.VersionError{Path: j.Path, Found: version, Known: Format}
		}
		generation = max(generation, binary.BigEndian.Uint64(s[20:]))
	}
	return generation, nil
}

// ReadWatermark returns how many transactions of the generation were durable at
// the last watermark, and whether the generation has a watermark.
func (j *Log) ReadWatermark(slots []byte) (number uint64, found bool) {
	for i := range int64(2) {
		s := slots[WatermarkAt+i*SlotStride:][:SlotSize]
		if disk.Checksum(s[:60]) != binary.BigEndian.Uint32(s[60:]) || binary.BigEndian.Uint64(s) != j.Generation {
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
func (j *Log) readFrames(apply func(op byte, key, value []byte)) error {
	for j.End < j.size {
		buf := make([]byte, min(window, j.size-j.End))
		if _, err := j.File.ReadAt(buf, j.End); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		n := j.take(buf, apply)
		if n == 0 && int64(len(buf)) < j.size-j.End {
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
	if j.Number < j.durable {
		return j.corrupt(kv.DamagedTransaction, j.Number+1, j.durable, j.End)
	}
	return nil
}

// take applies the complete frames at the start of buf, which was read at j.end,
// and returns their number.
func (j *Log) take(buf []byte, apply func(op byte, key, value []byte)) (frames int) {
	for {
		payload, ok := frame(buf, j.Generation, j.Number)
		if !ok || !Operations(payload, apply) {
			return frames
		}
		j.last = bytes.Clone(buf[:FrameHeader])
		buf = buf[FrameHeader+len(payload):]
		j.End += int64(FrameHeader + len(payload))
		j.Number++
		frames++
	}
}

// largeFrame returns a frame at j.end that is larger than a window, or nil. It
// verifies the checksum before it allocates the memory.
func (j *Log) largeFrame(start []byte) ([]byte, error) {
	n := int64(binary.BigEndian.Uint32(start))
	if n > MaxPayload || FrameHeader+n > j.size-j.End || FrameHeader+n <= int64(len(start)) ||
		binary.BigEndian.Uint64(start[8:]) != j.Generation || binary.BigEndian.Uint64(start[16:]) != j.Number {
		return nil, nil
	}
	digest := crc32.New(disk.Castagnoli)
	if _, err := io.Copy(digest, io.NewSectionReader(j.File, j.End+8, FrameHeader-8+n)); err != nil {
		return nil, err
	}
	if digest.Sum32() != binary.BigEndian.Uint32(start[4:]) {
		return nil, nil
	}
	buf := make([]byte, FrameHeader+n)
	_, err := j.File.ReadAt(buf, j.End)
	return buf, err
}

type FoundFrame struct {
	Generation, Number uint64
	Payload            []byte
	At                 int
}

func (f FoundFrame) End() int { return f.At + FrameHeader + len(f.Payload) }

// FramesIn returns the intact frames of a file from an offset on, also those after
// damaged ones.
func FramesIn(data []byte, at int) (frames []FoundFrame) {
	for at+FrameHeader <= len(data) {
		if f, ok := frameAt(data, at); ok {
			frames = append(frames, f)
			at = f.End()
			continue
		}
		// If the length of a damaged frame is right, its payload is skipped: a value may
		// look like a frame.
		next := at + FrameHeader + int(binary.BigEndian.Uint32(data[at:]))
		if _, ok := frameAt(data, next); ok && next > at {
			at = next
		} else {
			at++
		}
	}
	return frames
}

// frameAt returns the frame at an offset if it is intact.
func frameAt(data []byte, at int) (f FoundFrame, ok bool) {
	if at+FrameHeader > len(data) {
		return f, false
	}
	g, n := binary.BigEndian.Uint64(data[at+8:]), binary.BigEndian.Uint64(data[at+16:])
	if g >= 1<<40 || n >= 1<<40 { // garbage: skip the checksum
		return f, false
	}
	payload, ok := frame(data[at:], g, n)
	if !ok || !Operations(payload, func(byte, []byte, []byte) {}) {
		return f, false
	}
	return FoundFrame{g, n, payload, at}, true
}
