package document

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"

	"techo/tools/files/paths"
)

// Splice replaces Length bytes from Offset on.
type Splice struct {
	Offset, Length int
	With           []byte
}

// Step is one modification of a file. Its splices are in order, with offsets in
// the unmodified file.
type Step []Splice

// Apply returns the modified content, and the step that reverses the modification.
func (s Step) Apply(raw []byte) (after []byte, back Step) {
	size := len(raw)
	for _, p := range s {
		size += len(p.With) - p.Length
	}
	after = make([]byte, 0, size)
	at := 0
	for _, p := range s {
		after = append(after, raw[at:p.Offset]...)
		at = p.Offset + p.Length
		back = append(back, Splice{len(after), len(p.With), bytes.Clone(raw[p.Offset:at])})
		after = append(after, p.With...)
	}
	return append(after, raw[at:]...), back
}

// EncodeSteps returns the record of steps: one byte, 0 for plain or 1 for compressed (DEFLATE),
// and then unsigned varints: the number of steps; for each step the number of splices; for each
// splice its offset, the length that it removes and the length that it inserts, followed by the
// inserted bytes.
func EncodeSteps(steps []Step) []byte {
	b := binary.AppendUvarint([]byte{0}, uint64(len(steps)))
	for _, s := range steps {
		b = binary.AppendUvarint(b, uint64(len(s)))
		for _, p := range s {
			b = binary.AppendUvarint(b, uint64(p.Offset))
			b = binary.AppendUvarint(b, uint64(p.Length))
			b = append(binary.AppendUvarint(b, uint64(len(p.With))), p.With...)
		}
	}
	if len(b) < 512 {
		return b
	}
	packed := bytes.NewBuffer([]byte{1})
	w, err := flate.NewWriter(packed, flate.BestSpeed)
	if err != nil {
		return b
	}
	w.Write(b[1:]) // writes to memory cannot fail
	w.Close()
	if packed.Len() < len(b) {
		return packed.Bytes()
	}
	return b
}

var ErrUndoData = errors.New("way back: cut off")

func decodeSteps(b []byte) (steps []Step, err error) {
	if len(b) == 0 {
		return nil, ErrUndoData
	}
	packed, b := b[0] == 1, b[1:]
	if packed {
		if b, err = io.ReadAll(flate.NewReader(bytes.NewReader(b))); err != nil {
			return nil, err
		}
	}
	number := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > paths.MaxFile*2 {
			err = ErrUndoData
			return 0
		}
		b = b[n:]
		return int(v)
	}
	for i := number(); i > 0 && err == nil; i-- {
		var s Step
		for k := number(); k > 0 && err == nil; k-- {
			p := Splice{Offset: number(), Length: number()}
			if n := number(); n <= len(b) {
				p.With, b = b[:n], b[n:]
			} else {
				err = ErrUndoData
			}
			s = append(s, p)
		}
		steps = append(steps, s)
	}
	return steps, err
}

// ApplySteps applies the steps of a record to a content.
func ApplySteps(record, content []byte) ([]byte, error) {
	steps, err := decodeSteps(record)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if !s.validFor(len(content)) {
			return nil, ErrUndoData
		}
		content, _ = s.Apply(content)
	}
	return content, nil
}

// validFor reports whether a step applies to a content of size bytes.
func (s Step) validFor(size int) bool {
	at := 0
	for _, p := range s {
		if p.Offset < at || p.Length > size-p.Offset {
			return false
		}
		at = p.Offset + p.Length
	}
	return at <= size
}

// ReplaceMiddle returns the step from one content to another. It replaces the part
// between their common prefix and suffix.
func ReplaceMiddle(from, to []byte) Step {
	head := commonHead(from, to)
	tail := commonTail(from[head:], to[head:])
	return Step{{head, len(from) - head - tail, to[head : len(to)-tail]}}
}
