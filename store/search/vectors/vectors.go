// Package vectors keeps the meanings of the texts of a search index, so that the texts
// that are most like a question are found without reading all of them.
//
// # Keys
//
//	sx index chunk         sketches of 1,024 texts
//	sv index chunk         vectors of 4 texts
//	sy index model chunk   sketches of 64 texts by a model of an endpoint
//	sz index model chunk   vectors of 4 texts by it
//	sc index model         the scale of its vectors (models.go)
//
// index, model and chunk are 4 bytes, big-endian; a text is in the chunk that its number
// names. A vector is a scale, a little-endian float32, and one byte for each dimension, as
// meaning.Vec encodes it. A sketch has one bit for each dimension: whether it is positive.
// A search reads all sketches, which are an eighth of the vectors, and then compares
// the vectors of the few whose sketches differ least from the question's. A text
// without a meaning, and one that was removed, has zeros in both.
//
// Chunks of a model are small, because each new text changes some at once. In the built-in
// table's chunks many texts are folded together.
package vectors

import (
	"encoding/binary"

	"techo/internal/meaning"
	"techo/store/kv"
)

// kind is what a chunk has.
type kind int

const (
	sketches kind = iota
	vecs
	kinds
)

// The key prefixes of the built-in table.
const (
	SketchPrefix = "sx"
	VectorPrefix = "sv"
)

// Prefixes returns the two-letter prefixes of all keys.
func Prefixes() []string { return []string{SketchPrefix, VectorPrefix, "sy", "sz", scalePrefix} }

// Set has the vectors of one index by the built-in table or by a model.
type Set struct {
	index      uint32
	model      uint32 // 0 is the built-in table
	dimensions int
}

// BuiltIn returns the vectors of an index by the built-in table.
func BuiltIn(index uint32) Set { return Set{index, 0, meaning.Dimensions} }

// Change gives a text an encoded vector. nil removes it.
type Change struct {
	Num uint32
	Vec []byte
}

func (s Set) prefix(k kind) []byte {
	b := make([]byte, 0, 14)
	if s.model == 0 {
		return binary.BigEndian.AppendUint32(append(b, [...]string{SketchPrefix, VectorPrefix}[k]...), s.index)
	}
	b = binary.BigEndian.AppendUint32(append(b, [...]string{"sy", "sz"}[k]...), s.index)
	return binary.BigEndian.AppendUint32(b, s.model)
}

func (s Set) key(k kind, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(s.prefix(k), chunk)
}

// Keys returns the keys that Apply writes, whose values it wants. The changes are
// sorted by number.
func (s Set) Keys(changes []Change) (keys [][]byte) {
	for k := range kinds {
		for rest := changes; len(rest) > 0; {
			chunk := rest[0].Num / s.perChunk(k)
			keys = append(keys, s.key(k, chunk))
			rest = s.behind(rest, k, chunk)
		}
	}
	return keys
}

// perChunk returns the number of texts of a chunk.
func (s Set) perChunk(k kind) uint32 {
	if s.model == 0 {
		return [...]uint32{1024, 4}[k]
	}
	return [...]uint32{64, 4}[k]
}

// behind returns the changes behind a chunk.
func (s Set) behind(changes []Change, k kind, chunk uint32) []Change {
	for len(changes) > 0 && changes[0].Num/s.perChunk(k) == chunk {
		changes = changes[1:]
	}
	return changes
}

// Apply changes vectors. The changes are sorted by number; values are what Keys asked for.
func (s Set) Apply(tx kv.Tx, changes []Change, values [][]byte) error {
	for k := range kinds {
		for rest := changes; len(rest) > 0; {
			chunk := rest[0].Num / s.perChunk(k)
			next := s.behind(rest, k, chunk)
			value := append(make([]byte, 0, int(s.perChunk(k))*s.sizeOf(k)), values[0]...)
			for _, c := range rest[:len(rest)-len(next)] {
				value = s.write(value, k, c)
			}
			if err := tx.Put(s.key(k, chunk), value); err != nil {
				return err
			}
			rest, values = next, values[1:]
		}
	}
	return nil
}

// write writes a vector or its sketch into its chunk.
func (s Set) write(chunk []byte, k kind, c Change) []byte {
	size := s.sizeOf(k)
	at := int(c.Num%s.perChunk(k)) * size
	if missing := at + size - len(chunk); missing > 0 {
		chunk = append(chunk, make([]byte, missing)...)
	}
	place := chunk[at : at+size]
	clear(place)
	if k == vecs {
		copy(place, c.Vec)
	} else {
		s.sketch(place, c.Vec)
	}
	return chunk
}

// sizeOf returns the bytes of a text in a chunk.
func (s Set) sizeOf(k kind) int {
	if k == vecs {
		return 4 + s.dimensions
	}
	return 8 * s.words()
}

// words is the length of a sketch. The sketches of a model have one more bit, which is always
// set: few dimensions may all be negative.
func (s Set) words() int {
	if s.model == 0 {
		return s.dimensions / 64
	}
	return s.dimensions/64 + 1
}

// sketch writes the sketch of a vector.
func (s Set) sketch(to, vec []byte) {
	if zero(vec) {
		return
	}
	for i, q := range vec[4:] {
		if int8(q) > 0 {
			to[i/8] |= 1 << (i % 8)
		}
	}
	if s.model != 0 {
		to[s.dimensions/8] |= 1 << (s.dimensions % 8)
	}
}

// zero reports whether an encoded vector says nothing: its scale is 0.
func zero(vec []byte) bool { return len(vec) < 4 || binary.LittleEndian.Uint32(vec) == 0 }

// Ahead returns the keys that Get will read, for a caller that reads other keys at the same time. It
// returns none where Get looks at values in their places.
func (s Set) Ahead(tx kv.Tx, nums []uint32) [][]byte {
	if kv.Peeks(tx) {
		return nil
	}
	keys, _ := chunksOf(s, nums)
	return keys
}

// chunksOf returns the keys that Get reads, and the index of each chunk among them.
func chunksOf(s Set, nums []uint32) (keys [][]byte, chunks map[uint32]int) {
	chunks = map[uint32]int{}
	for _, num := range nums {
		chunk := num / s.perChunk(vecs)
		if _, ok := chunks[chunk]; !ok {
			chunks[chunk] = len(keys)
			keys = append(keys, s.key(vecs, chunk))
		}
	}
	return keys, chunks
}

// Get returns the encoded vectors of texts, nil for one without. They are valid until the transaction
// ends.
func (s Set) Get(tx kv.Tx, nums []uint32) ([][]byte, error) {
	keys, chunks := chunksOf(s, nums)
	if len(keys) == 0 {
		return nil, nil
	}
	values, err := kv.PeekMany(tx, keys)
	if err != nil {
		return nil, err
	}
	all, size := make([][]byte, len(nums)), s.sizeOf(vecs)
	for i, num := range nums {
		chunk, at := values[chunks[num/s.perChunk(vecs)]], int(num%s.perChunk(vecs))*size
		if at+size <= len(chunk) && !zero(chunk[at:at+size]) {
			all[i] = chunk[at : at+size]
		}
	}
	return all, nil
}
