package journal

import "encoding/binary"

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
