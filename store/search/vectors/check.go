package vectors

import (
	"bytes"
	"encoding/binary"

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
	return err == nil && (bytes.Equal(found[0], c.Vec) || found[0] == nil && zero(c.Vec)), err
}

// Tally is the number of texts that have a vector, and the sum of their numbers.
type Tally struct {
	Texts int
	Sum   uint64
}

// Add adds a text.
func (t *Tally) Add(num uint32) {
	t.Texts++
	t.Sum += uint64(num)
}

// Check reads all vectors and compares them with the sketches. It returns which texts have
// a vector.
func (s Set) Check(tx kv.Tx) (all Tally, err error) {
	sketched, nothing := 0, make([]byte, s.sizeOf(sketches))
	err = s.each(tx, sketches, func(_ uint32, b []byte) error {
		if !bytes.Equal(b, nothing) {
			sketched++
		}
		return nil
	})
	if err != nil {
		return all, err
	}
	var there []byte // the chunk of sketches that was read last
	chunk := uint32(1<<32 - 1)
	err = s.each(tx, vecs, func(num uint32, b []byte) error {
		if zero(b) {
			if bytes.Equal(b, make([]byte, len(b))) {
				return nil
			}
			return kv.Reason{Code: IllFormed}
		}
		if all.Add(num); num/s.perChunk(sketches) != chunk {
			chunk = num / s.perChunk(sketches)
			values, err := kv.GetMany(tx, [][]byte{s.key(sketches, chunk)})
			if err != nil {
				return err
			}
			there = values[0]
		}
		if !s.hasSketch(there, Change{num, b}) {
			return kv.Reason{Code: WrongSketch, Args: []any{num}}
		}
		return nil
	})
	if err == nil && sketched != all.Texts {
		err = kv.Reason{Code: WrongCount, Args: []any{sketched, all.Texts}}
	}
	return all, err
}

// hasSketch reports whether a chunk has the sketch of a vector.
func (s Set) hasSketch(chunk []byte, c Change) bool {
	size := s.sizeOf(sketches)
	at := int(c.Num%s.perChunk(sketches)) * size
	return at+size <= len(chunk) && bytes.Equal(chunk[at:at+size], s.write(nil, sketches, c)[at:])
}

// each calls use with what is stored for each text.
func (s Set) each(tx kv.Tx, k kind, use func(num uint32, b []byte) error) error {
	prefix, size := s.prefix(k), s.sizeOf(k)
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		if len(p.Key) != len(prefix)+4 || len(p.Value)%size != 0 || len(p.Value)/size > int(s.perChunk(k)) {
			return kv.Reason{Code: IllFormed}
		}
		first := binary.BigEndian.Uint32(p.Key[len(prefix):]) * s.perChunk(k)
		for i := range len(p.Value) / size {
			if err := use(first+uint32(i), p.Value[i*size:(i+1)*size]); err != nil {
				return err
			}
		}
	}
	return nil
}
