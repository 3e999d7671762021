package vectors

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"techo/store/kv"
)

// chunksAtOnce is the number of chunks of sketches that are read in one round trip.
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
// question's, at most most of them, the newest first. keep selects texts, nil selects all.
func (s Set) Candidates(tx kv.Tx, first Sketches, question []byte, most int, keep func(num uint32) bool) (
	[]uint32, error,
) {
	if zero(question) {
		return nil, nil
	}
	near := nearer{question: make([]uint64, s.words()), keep: keep, most: most,
		having: make([]int, s.dimensions+1), farthest: s.dimensions}
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
		return near.best(), nil
	}
	others := kv.Range{Prefix: prefix}
	if n := len(first.Pairs); n > 0 {
		others.From = append(slices.Clone(first.Pairs[n-1].Key), 0)
	}
	for item, err := range tx.Scan(others) {
		if err != nil {
			return nil, err
		}
		value, err := item.Peek()
		if err != nil {
			return nil, err
		}
		near.add(binary.BigEndian.Uint32(item.Key[len(prefix):])*s.perChunk(sketches), value)
	}
	return near.best(), nil
}

// nearer finds the texts whose sketches differ least from the question's.
type nearer struct {
	question []uint64
	keep     func(num uint32) bool
	most     int

	found    []distant // texts that were among the nearest when they were added, sorted by number
	having   []int     // texts found at each distance
	within   int       // texts found that are no farther than farthest
	farthest int       // texts that are farther are not among the nearest
}

// distant is a text and the number of bits in which its sketch differs from the question's.
type distant struct {
	num      uint32
	distance int
}

// add compares the sketches of a chunk, which are of later texts than those before.
func (n *nearer) add(first uint32, chunk []byte) {
	if len(n.question) == 3 {
		n.addBuiltIn(first, chunk)
		return
	}
	size := 8 * len(n.question)
	for num := first; len(chunk) >= size; num, chunk = num+1, chunk[size:] {
		d := 0
		for i, q := range n.question {
			d += bits.OnesCount64(word(chunk, i) ^ q)
		}
		if d <= n.farthest {
			n.find(distant{num, d}, chunk[:size])
		}
	}
}

// addBuiltIn is add for the built-in table. Without an inner loop it takes a third of the time: a search compares
// every text.
func (n *nearer) addBuiltIn(first uint32, chunk []byte) {
	one, two, three := n.question[0], n.question[1], n.question[2]
	for num := first; len(chunk) >= 24; num, chunk = num+1, chunk[24:] {
		d := bits.OnesCount64(word(chunk, 0)^one) + bits.OnesCount64(word(chunk, 1)^two) +
			bits.OnesCount64(word(chunk, 2)^three)
		if d <= n.farthest {
			n.find(distant{num, d}, chunk[:24])
		}
	}
}

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i : 8*i+8]) }

// find adds a text that is no farther than farthest, unless it has no sketch or is not to be kept.
func (n *nearer) find(d distant, sketch []byte) {
	if !slices.ContainsFunc(sketch, func(b byte) bool { return b != 0 }) || n.keep != nil && !n.keep(d.num) {
		return
	}
	n.found = append(n.found, d)
	n.having[d.distance]++
	n.within++
	for n.farthest > 0 && n.within-n.having[n.farthest] >= n.most {
		n.within -= n.having[n.farthest]
		n.farthest--
	}
}

// best returns the nearest texts; at the largest distance the newest.
func (n *nearer) best() (nums []uint32) {
	left := n.most - (n.within - n.having[n.farthest]) // of those at the distance farthest
	for _, d := range slices.Backward(n.found) {
		if d.distance > n.farthest || d.distance == n.farthest && left == 0 {
			continue
		}
		if d.distance == n.farthest {
			left--
		}
		nums = append(nums, d.num)
	}
	return nums
}
