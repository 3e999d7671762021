package vectors

import (
	"bytes"
	"encoding/binary"

	"techo/internal/meaning"
	"techo/store/kv"
)

// The kinds of damage.
const (
	IllFormed   kv.ReasonCode = "a record of vectors is not well formed"
	WrongSketch kv.ReasonCode = "text with number %d: its vector and its sketch do not match"
	WrongCount  kv.ReasonCode = "wrong count of sketches: %d instead of %d"
)

// Has reports whether a text has a vector.
func (s Set) Has(tx kv.Tx, c Change) (bool, error) {
	found, err := s.Get(tx, []uint32{c.Num})
	return err == nil && found[0] == c.Vec, err
}

// Check reads all vectors and compares them with the sketches. It returns the number of
// texts that have a vector.
func (s Set) Check(tx kv.Tx) (texts int, err error) {
	sketched := 0
	err = s.each(tx, sketchPrefix, func(_ uint32, b []byte) error {
		if !bytes.Equal(b, make([]byte, sketchSize)) {
			sketched++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	var sketches []byte // the chunk that was read last
	chunk := uint32(1<<32 - 1)
	err = s.each(tx, vectorPrefix, func(num uint32, b []byte) error {
		v, err := meaning.Decode(b)
		if err != nil || v.Zero() {
			return err
		}
		if texts++; num/perSketches != chunk {
			chunk = num / perSketches
			values, err := tx.GetMany([][]byte{s.key(sketchPrefix, chunk)})
			if err != nil {
				return err
			}
			sketches = values[0]
		}
		if !hasSketch(sketches, Change{num, v}) {
			return kv.Reason{Code: WrongSketch, Args: []any{num}}
		}
		return nil
	})
	if err == nil && sketched != texts {
		err = kv.Reason{Code: WrongCount, Args: []any{sketched, texts}}
	}
	return texts, err
}

// hasSketch reports whether a chunk has the sketch of a vector.
func hasSketch(chunk []byte, c Change) bool {
	at := int(c.Num%perSketches) * sketchSize
	return at+sketchSize <= len(chunk) &&
		bytes.Equal(chunk[at:at+sketchSize], write(nil, sketchPrefix, c)[at:])
}

// each calls use with what is stored for each text.
func (s Set) each(tx kv.Tx, name string, use func(num uint32, b []byte) error) error {
	prefix := s.prefix(name)
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		size := sizeOf(name)
		if len(p.Key) != len(prefix)+4 || len(p.Value)%size != 0 || len(p.Value)/size > int(perChunk(name)) {
			return kv.Reason{Code: IllFormed}
		}
		first := binary.BigEndian.Uint32(p.Key[len(prefix):]) * perChunk(name)
		for i := range len(p.Value) / size {
			if err := use(first+uint32(i), p.Value[i*size:(i+1)*size]); err != nil {
				return err
			}
		}
	}
	return nil
}
