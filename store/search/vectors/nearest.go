package vectors

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"techo/internal/meaning"
	"techo/store/kv"
)

// noSketch is the distance of a text without a meaning, or that a search leaves out.
const noSketch = 255

// chunksAtOnce is the number of chunks of sketches that a search reads with its statistics: a
// database answers both in one round trip. More would be copied needlessly in a folder.
const chunksAtOnce = 32

// First returns the range with the first sketches, which Candidates wants.
func (s Set) First() kv.Range { return kv.Range{Prefix: s.prefix(sketchPrefix), Limit: chunksAtOnce} }

// Candidates returns the numbers of some texts whose sketches differ least from the
// question's, at most most of them, in their order. first is what First has; keep selects
// texts, nil selects all.
func (s Set) Candidates(tx kv.Tx, first []kv.Pair, question *meaning.Vec, most int, keep func(num uint32) bool) (
	[]uint32, error,
) {
	if question.Zero() {
		return nil, nil
	}
	near := nearer{question: sketchOf(question), keep: keep}
	prefix := s.prefix(sketchPrefix)
	for _, p := range first {
		near.add(binary.BigEndian.Uint32(p.Key[len(prefix):])*perSketches, p.Value)
	}
	if len(first) < chunksAtOnce {
		return near.best(most), nil
	}
	behind := append(slices.Clone(first[len(first)-1].Key), 0)
	for item, err := range tx.Scan(kv.Range{Prefix: prefix, From: behind}) {
		if err != nil {
			return nil, err
		}
		value, err := item.Peek()
		if err != nil {
			return nil, err
		}
		near.add(binary.BigEndian.Uint32(item.Key[len(prefix):])*perSketches, value)
	}
	return near.best(most), nil
}

// nearer sorts texts by the distances of their sketches.
type nearer struct {
	question sketch
	keep     func(num uint32) bool
	parts    []part
	having   [meaning.Dimensions + 1]int // texts with each distance
}

// part has the distances of the texts of a chunk.
type part struct {
	first     uint32 // number
	distances []uint8
}

// add compares the sketches of a chunk.
func (n *nearer) add(first uint32, chunk []byte) {
	distances := make([]uint8, len(chunk)/sketchSize)
	for i := range distances {
		b := chunk[i*sketchSize : (i+1)*sketchSize]
		one, two, three := word(b, 0), word(b, 1), word(b, 2)
		distances[i] = noSketch
		if one|two|three == 0 || n.keep != nil && !n.keep(first+uint32(i)) {
			continue
		}
		d := bits.OnesCount64(one^n.question[0]) + bits.OnesCount64(two^n.question[1]) +
			bits.OnesCount64(three^n.question[2])
		distances[i] = uint8(d)
		n.having[d]++
	}
	n.parts = append(n.parts, part{first, distances})
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
