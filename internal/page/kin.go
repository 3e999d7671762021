package page

import (
	"strings"

	"golang.org/x/net/html"
)

// kin are blocks that a template made alike: their element and the two around
// it have the same tags and classes.
type kin struct {
	blocks             int
	words, link, prose float64
	prior              float64 // odds times words
	odds, weight       float64
}

// nameOf is what an element has in common with those of the same template:
// its tag and its first two classes, without their numbers.
func nameOf(n *html.Node) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := 0; i < len(n.Data); i++ {
		h = (h ^ uint64(n.Data[i])) * prime
	}
	class, words := strings.TrimLeft(attr(n, "class"), " \n\t"), 0
	for i := 0; i < len(class) && words < 2; i++ {
		c := class[i]
		if c >= '0' && c <= '9' {
			continue
		}
		if c == ' ' || c == '\n' || c == '\t' {
			words++
			c = ' '
		}
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// gather puts blocks into families.
func (s *surroundings) gather() {
	at := make(map[uint64]int, len(s.blocks)/4)
	s.kinOf = make([]int, len(s.blocks))
	for i := range s.blocks {
		b := &s.blocks[i]
		h := uint64(0)
		for e, n := b.elem, 0; e >= 0 && n < 3; e, n = s.elems[e].parent, n+1 {
			h = h*31 + s.elems[e].name
		}
		k, ok := at[h]
		if !ok {
			k = len(s.kins)
			at[h] = k
			s.kins = append(s.kins, kin{})
		}
		s.kinOf[i] = k
		f := &s.kins[k]
		f.blocks++
		f.words += b.words
		f.link += b.link
		if isProse(b) {
			f.prose += b.words
		}
	}
}

// conform draws the odds of blocks towards those of their kin: what a template
// made alike is content, or is not, together.
func (s *surroundings) conform(odds []float64) {
	for i, k := range s.kinOf {
		w := min(s.blocks[i].words, 30) + 1
		s.kins[k].odds += w * odds[i]
		s.kins[k].weight += w
	}
	for i, k := range s.kinOf {
		f := &s.kins[k]
		if f.blocks < 2 || s.phrases[i] != 0 {
			continue
		}
		share := conformity
		if !s.classed(i) {
			share = conformity / 3 // any page has such
		}
		odds[i] += share * (f.odds/f.weight - odds[i])
	}
	for k := range s.kins {
		s.kins[k].odds, s.kins[k].weight = 0, 0
	}
}

// classed reports whether a class tells the kin of a block from others.
func (s *surroundings) classed(i int) bool {
	for e, n := s.blocks[i].elem, 0; e >= 0 && n < 3; e, n = s.elems[e].parent, n+1 {
		if attr(s.elems[e].node, "class") != "" {
			return true
		}
	}
	return false
}

// conformity is how far a block goes with its kin, from 0 to 1.
const conformity = 0.6
