package pattern

import (
	"math/bits"
	"slices"
	"strings"
)

// trie is a deterministic automaton for the UTF-8 encodings of a large class. The
// first node is the start. Equal parts of the automaton are shared.
type trie []trieNode

type trieNode []trieRange

// trieRange leads from a range of bytes to another node, or to accepted.
type trieRange struct {
	bytesRange
	next int32
}

// accepted is the next node behind the last byte of a character.
const accepted = -1

// after returns the node behind a byte, or false.
func (n trieNode) after(b byte) (next int32, ok bool) {
	lo, hi := 0, len(n)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch r := &n[mid]; {
		case b < r.lo:
			hi = mid
		case b > r.hi:
			lo = mid + 1
		default:
			return r.next, true
		}
	}
	return 0, false
}

// newTrie builds the automaton of a list of sequences in ascending order, no two of
// which have an encoding in common.
func newTrie(all []sequence) trie {
	b := &trieBuilder{known: map[string]int32{}}
	first := b.add(all)
	// The start is the last node that was added; put it first.
	b.nodes[0], b.nodes[first] = b.nodes[first], b.nodes[0]
	for _, n := range b.nodes {
		for i := range n {
			switch n[i].next {
			case 0:
				n[i].next = first
			case first:
				n[i].next = 0
			}
		}
	}
	return b.nodes
}

type trieBuilder struct {
	nodes trie
	known map[string]int32 // the number of a node by its content
}

func (b *trieBuilder) add(all []sequence) int32 {
	var node trieNode
	for len(all) > 0 {
		// Sequences with an equal first byte range are neighbours.
		n := slices.IndexFunc(all, func(s sequence) bool { return s[0] != all[0][0] })
		if n < 0 {
			n = len(all)
		}
		r := trieRange{all[0][0], accepted}
		if len(all[0]) > 1 {
			rest := make([]sequence, n)
			for i, s := range all[:n] {
				rest[i] = s[1:]
			}
			r.next = b.add(rest)
		}
		if last := len(node) - 1; last >= 0 && node[last].next == r.next && node[last].hi+1 == r.lo {
			node[last].hi = r.hi
		} else {
			node = append(node, r)
		}
		all = all[n:]
	}
	var key strings.Builder
	for _, r := range node {
		key.Write([]byte{r.lo, r.hi, byte(r.next), byte(r.next >> 8), byte(r.next >> 16)})
	}
	if at, ok := b.known[key.String()]; ok {
		return at
	}
	at := int32(len(b.nodes))
	b.nodes = append(b.nodes, node)
	b.known[key.String()] = at
	return at
}

type set [4]uint64

func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *set) remove(b byte)   { s[b>>6] &^= 1 << (b & 63) }
func (s *set) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s *set) addRange(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s.add(byte(b))
	}
}

func (s *set) size() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// only returns the single byte of a set of size 1.
func (s *set) only() byte {
	for i, w := range s {
		if w != 0 {
			return byte(i*64 + bits.TrailingZeros64(w))
		}
	}
	return 0
}

// frequency estimates the fraction of a text's bytes that are in the set, from 0
// to 1.
func (s *set) frequency() float64 {
	var sum int
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			sum += int(frequencies[i*64+bits.TrailingZeros64(w)])
		}
	}
	return min(float64(sum)/65536, 1)
}

// frequencies is the number of occurrences of each byte in 65,536 bytes of source
// code, counted over the Linux and Go trees. The bytes of multi-byte UTF-8 are
// raised to account for other languages.
var frequencies = [256]uint16{
	1, 1, 1, 1, 1, 1, 1, 1, 1, 2602, 2304, 1, 1, 100, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	7094, 46, 383, 195, 17, 59, 141, 34, 717, 717, 649, 67, 950, 541, 410, 388,
	1149, 459, 398, 247, 224, 149, 202, 107, 195, 103, 206, 644, 114, 517, 336, 7,
	26, 525, 195, 515, 374, 633, 262, 210, 141, 559, 8, 106, 390, 366, 411, 378,
	432, 50, 517, 548, 556, 221, 146, 89, 139, 72, 31, 88, 58, 88, 6, 2766,
	14, 1944, 571, 1629, 1522, 3581, 1063, 604, 663, 2251, 30, 344, 1277, 882, 1998, 1696,
	1073, 125, 2318, 2111, 2918, 1147, 550, 288, 570, 310, 80, 220, 71, 220, 7, 1,
	40, 40, 30, 30, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
	1, 1, 10, 20, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	30, 30, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
	20, 10, 40, 120, 30, 40, 30, 30, 30, 30, 20, 10, 10, 10, 10, 20,
	10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
}
