// Package vectors keeps the meanings of the texts of a search index, so that the texts
// that are most like a question are found without reading all of them.
//
// # Keys
//
//	sx space chunk   sketches of 1,024 texts
//	sv space chunk   vectors of 16 texts
//
// space and chunk are 4 bytes, big-endian; a text is in the chunk that its number
// names. A sketch has one bit for each dimension of a vector: whether it is positive.
// A search reads all sketches, which are an eighth of the vectors, and then compares
// the vectors of the few whose sketches differ least from the question's. A text
// without a meaning, and one that was removed, has zeros in both.
package vectors

import (
	"encoding/binary"

	"techo/internal/meaning"
	"techo/store/kv"
)

// The key prefixes.
const (
	sketchPrefix = "sx"
	vectorPrefix = "sv"
)

// Prefixes returns the two-letter prefixes of all keys.
func Prefixes() []string { return []string{sketchPrefix, vectorPrefix} }

const (
	perSketches = 1024 // texts
	perVectors  = 16

	sketchWords = meaning.Dimensions / 64
	sketchSize  = 8 * sketchWords // bytes
)

// Set has the vectors of one index, by its number.
type Set uint32

// Change gives a text a vector. The zero vector removes it.
type Change struct {
	Num uint32
	Vec meaning.Vec
}

func (s Set) prefix(name string) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 10), name...), uint32(s))
}

func (s Set) key(name string, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(s.prefix(name), chunk)
}

// Keys returns the keys that Apply writes, whose values it wants. The changes are
// sorted by number.
func (s Set) Keys(changes []Change) (keys [][]byte) {
	for _, name := range Prefixes() {
		for rest := changes; len(rest) > 0; {
			chunk := rest[0].Num / perChunk(name)
			keys = append(keys, s.key(name, chunk))
			rest = behind(rest, name, chunk)
		}
	}
	return keys
}

func perChunk(name string) uint32 {
	if name == sketchPrefix {
		return perSketches
	}
	return perVectors
}

// behind returns the changes behind a chunk.
func behind(changes []Change, name string, chunk uint32) []Change {
	for len(changes) > 0 && changes[0].Num/perChunk(name) == chunk {
		changes = changes[1:]
	}
	return changes
}

// Apply changes vectors. The changes are sorted by number; values are what Keys asked for.
func (s Set) Apply(tx kv.Tx, changes []Change, values [][]byte) error {
	for _, name := range Prefixes() {
		for rest := changes; len(rest) > 0; {
			chunk := rest[0].Num / perChunk(name)
			next := behind(rest, name, chunk)
			value := append([]byte{}, values[0]...)
			for _, c := range rest[:len(rest)-len(next)] {
				value = write(value, name, c)
			}
			if err := tx.Put(s.key(name, chunk), value); err != nil {
				return err
			}
			rest, values = next, values[1:]
		}
	}
	return nil
}

// write writes a vector or its sketch into its chunk.
func write(chunk []byte, name string, c Change) []byte {
	size := sizeOf(name)
	at := int(c.Num%perChunk(name)) * size
	if missing := at + size - len(chunk); missing > 0 {
		chunk = append(chunk, make([]byte, missing)...)
	}
	if name == vectorPrefix {
		c.Vec.Append(chunk[:at])
		return chunk
	}
	for i, word := range sketchOf(&c.Vec) {
		binary.LittleEndian.PutUint64(chunk[at+8*i:], word)
	}
	return chunk
}

func sizeOf(name string) int {
	if name == sketchPrefix {
		return sketchSize
	}
	return meaning.Size
}

// sketch has a bit for each dimension.
type sketch [sketchWords]uint64

func sketchOf(v *meaning.Vec) (s sketch) {
	if v.Zero() {
		return s
	}
	for i, q := range v.Q {
		if q > 0 {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}

// KeysOf returns the keys that Get reads, and the index of each chunk among them.
func (s Set) KeysOf(nums []uint32) (keys [][]byte, chunks map[uint32]int) {
	chunks = map[uint32]int{}
	for _, num := range nums {
		if chunk := num / perVectors; !has(chunks, chunk) {
			chunks[chunk] = len(keys)
			keys = append(keys, s.key(vectorPrefix, chunk))
		}
	}
	return keys, chunks
}

// Get returns the vectors of texts, zero for one without.
func (s Set) Get(tx kv.Tx, nums []uint32) ([]meaning.Vec, error) {
	keys, chunks := s.KeysOf(nums)
	if len(keys) == 0 {
		return nil, nil
	}
	values, err := tx.GetMany(keys)
	if err != nil {
		return nil, err
	}
	all := make([]meaning.Vec, len(nums))
	for i, num := range nums {
		chunk, at := values[chunks[num/perVectors]], int(num%perVectors)*meaning.Size
		if at+meaning.Size > len(chunk) {
			continue
		}
		if all[i], err = meaning.Decode(chunk[at : at+meaning.Size]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func has(chunks map[uint32]int, chunk uint32) bool {
	_, ok := chunks[chunk]
	return ok
}
