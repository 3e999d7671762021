package page

import (
	"strings"

	"golang.org/x/net/html"
)

// cluster is a group of blocks from the same template: their element and its two
// ancestors have the same tags and classes.
type cluster struct {
	blocks             int
	words, link, prose float64
	prior              float64 // sum of prior times words
	odds, weight       float64
}

// nameOf returns a hash of the tag and the first two classes of an element,
// without digits. Elements of the same template share it.
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

// gather assigns the blocks to clusters.
func (s *surroundings) gather() {
	at := make(map[uint64]int, len(s.blocks)/4)
	s.clusterOf = make([]int, len(s.blocks))
	for i := range s.blocks {
		b := &s.blocks[i]
		h := uint64(0)
		for e, n := b.elem, 0; e >= 0 && n < 3; e, n = s.elems[e].parent, n+1 {
			h = h*31 + s.elems[e].name
		}
		k, ok := at[h]
		if !ok {
			k = len(s.clusters)
			at[h] = k
			s.clusters = append(s.clusters, cluster{})
		}
		s.clusterOf[i] = k
		f := &s.clusters[k]
		f.blocks++
		f.words += b.words
		f.link += b.link
		if isProse(b) {
			f.prose += b.words
		}
	}
}

// conform moves the log-odds of blocks towards the mean of their cluster: blocks
// of one template are content together, or not at all.
func (s *surroundings) conform(odds []float64) {
	for i, k := range s.clusterOf {
		w := min(s.blocks[i].words, 30) + 1
		s.clusters[k].odds += w * odds[i]
		s.clusters[k].weight += w
	}
	for i, k := range s.clusterOf {
		f := &s.clusters[k]
		if f.blocks < 2 || s.phrases[i] != 0 {
			continue
		}
		share := conformity
		if !s.classed(i) {
			share = conformity / 3 // every page has such clusters
		}
		odds[i] += share * (f.odds/f.weight - odds[i])
	}
	for k := range s.clusters {
		s.clusters[k].odds, s.clusters[k].weight = 0, 0
	}
}

// classed reports whether a class distinguishes the cluster of a block from
// others.
func (s *surroundings) classed(i int) bool {
	for e, n := s.blocks[i].elem, 0; e >= 0 && n < 3; e, n = s.elems[e].parent, n+1 {
		if attr(s.elems[e].node, "class") != "" {
			return true
		}
	}
	return false
}

// conformity is the weight of the cluster's mean, from 0 to 1.
const conformity = 0.3
