package pattern

import (
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

// add returns the number of the node for sequences.
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
