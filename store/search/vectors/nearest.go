package vectors

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"techo/store/kv"
)

// noSketch is the distance of a text without a meaning, or that a search leaves out.
const noSketch = 1<<16 - 1

// chunksAtOnce is the number of chunks of sketches that a search reads with its statistics: a
// database answers both in one round trip. More would be copied needlessly in a folder.
const chunksAtOnce = 32

// First returns the range with the first sketches.
func (s Set) First() kv.Range { return kv.Range{Prefix: s.prefix(sketches), Limit: chunksAtOnce} }

// SketchKeys returns the keys of all sketches of texts with lower numbers.
func (s Set) SketchKeys(below uint32) (keys [][]byte) {
	for chunk := range (below + s.perChunk(sketches) - 1) / s.perChunk(sketches) {
		keys = append(keys, s.key(sketches, chunk))
	}
	return keys
}

// Sketches are the first sketches of a set, or all.
type Sketches struct {
	Pairs []kv.Pair
	All   bool
}

// FirstOf returns the sketches that were read of the range First.
func FirstOf(pairs []kv.Pair) Sketches { return Sketches{pairs, len(pairs) < chunksAtOnce} }

// Add adds the sketches under keys, as far as there are some.
func (all *Sketches) Add(keys, values [][]byte) {
	for i, value := range values {
		if value != nil {
			all.Pairs = append(all.Pairs, kv.Pair{Key: keys[i], Value: value})
		}
	}
}

// Candidates returns the numbers of some texts whose sketches differ least from the
// question's, at most most of them, in their order. keep selects texts, nil selects all.
func (s Set) Candidates(tx kv.Tx, first Sketches, question []byte, most int, keep func(num uint32) bool) (
	[]uint32, error,
) {
	if zero(question) {
		return nil, nil
	}
	near := nearer{question: make([]uint64, s.words()), keep: keep, having: make([]int, s.dimensions+1)}
	sketch := make([]byte, s.sizeOf(sketches))
	s.sketch(sketch, question)
	for i := range near.question {
		near.question[i] = word(sketch, i)
	}
	prefix := s.prefix(sketches)
	for _, p := range first.Pairs {
		near.add(binary.BigEndian.Uint32(p.Key[len(prefix):])*s.perChunk(sketches), p.Value)
	}
	if first.All {
		return near.best(most), nil
	}
	behind := append(slices.Clone(first.Pairs[len(first.Pairs)-1].Key), 0)
	for item, err := range tx.Scan(kv.Range{Prefix: prefix, From: behind}) {
		if err != nil {
			return nil, err
		}
		value, err := item.Peek()
		if err != nil {
			return nil, err
		}
		near.add(binary.BigEndian.Uint32(item.Key[len(prefix):])*s.perChunk(sketches), value)
	}
	return near.best(most), nil
}

// nearer sorts texts by the distances of their sketches.
type nearer struct {
	question []uint64
	keep     func(num uint32) bool
	parts    []part
	having   []int // texts with each distance
}

// part has the distances of the texts of a chunk.
type part struct {
	first     uint32 // number
	distances []uint16
}

// add compares the sketches of a chunk.
func (n *nearer) add(first uint32, chunk []byte) {
	size := 8 * len(n.question)
	distances := make([]uint16, len(chunk)/size)
	for i := range distances {
		d, any := n.distance(chunk[i*size : (i+1)*size])
		if any == 0 || n.keep != nil && !n.keep(first+uint32(i)) {
			distances[i] = noSketch
			continue
		}
		distances[i] = uint16(d)
		n.having[d]++
	}
	n.parts = append(n.parts, part{first, distances})
}

// distance returns the number of bits that differ, and a word that is 0 without a sketch.
func (n *nearer) distance(b []byte) (d int, any uint64) {
	if len(n.question) == 3 { // the built-in table
		one, two, three := word(b, 0), word(b, 1), word(b, 2)
		return bits.OnesCount64(one^n.question[0]) + bits.OnesCount64(two^n.question[1]) +
			bits.OnesCount64(three^n.question[2]), one | two | three
	}
	for i, q := range n.question {
		w := word(b, i)
		d += bits.OnesCount64(w ^ q)
		any |= w
	}
	return d, any
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i : 8*i+8]) }

// best returns the nearest texts; at the largest distance the newest.
func (n *nearer) best(most int) []uint32 {
	total, farthest := 0, 0
	for ; farthest < len(n.having) && total+n.having[farthest] <= most; farthest++ {
		total += n.having[farthest]
	}
	left := most - total // of those at the distance farthest
	nums := make([]uint32, 0, min(most, total+left))
	for i := len(n.parts) - 1; i >= 0; i-- {
		p := n.parts[i]
		for j := len(p.distances) - 1; j >= 0; j-- {
			d := int(p.distances[j])
			if d == farthest && d < len(n.having) && left > 0 {
				left--
			} else if d >= farthest {
				continue
			}
			nums = append(nums, p.first+uint32(j))
		}
	}
	return nums
}
