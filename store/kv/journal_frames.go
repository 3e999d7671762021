package kv

import "encoding/binary"

type foundFrame struct {
	generation, number uint64
	payload            []byte
	at                 int
}

func (f foundFrame) end() int { return f.at + frameHeader + len(f.payload) }

// framesIn returns the intact frames of a file from an offset on, also those after
// damaged ones.
func framesIn(data []byte, at int) (frames []foundFrame) {
	for at+frameHeader <= len(data) {
		if f, ok := frameAt(data, at); ok {
			frames = append(frames, f)
			at = f.end()
			continue
		}
		// If the length of a damaged frame is right, its payload is skipped: a value may
		// look like a frame.
		next := at + frameHeader + int(binary.BigEndian.Uint32(data[at:]))
		if _, ok := frameAt(data, next); ok && next > at {
			at = next
		} else {
			at++
		}
	}
	return frames
}

// frameAt returns the frame at an offset if it is intact.
func frameAt(data []byte, at int) (f foundFrame, ok bool) {
	if at+frameHeader > len(data) {
		return f, false
	}
	g, n := binary.BigEndian.Uint64(data[at+8:]), binary.BigEndian.Uint64(data[at+16:])
	if g >= 1<<40 || n >= 1<<40 { // garbage: skip the checksum
		return f, false
	}
	payload, ok := frame(data[at:], g, n)
	if !ok || !operations(payload, func(byte, []byte, []byte) {}) {
		return f, false
	}
	return foundFrame{g, n, payload, at}, true
}
