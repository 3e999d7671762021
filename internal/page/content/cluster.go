package content

import "techo/internal/page/dom"

// cluster is a group of blocks from the same template: their element and its two
// ancestors have the same tags and classes.
type cluster struct {
	blocks             int
	words, link, prose float64
	prior              float64 // sum of prior times words
}

// gather assigns the blocks to clusters.
func (s *surroundings) gather() {
	at := make(map[uint64]int, len(s.Blocks)/4)
	s.clusterOf = make([]int, len(s.Blocks))
	for i := range s.Blocks {
		b := &s.Blocks[i]
		h := uint64(0)
		for e, n := b.Elem, 0; e >= 0 && n < 3; e, n = s.Elems[e].Parent, n+1 {
			h = h*31 + s.Elems[e].Name
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
		f.words += b.Words
		f.link += b.Link
		if b.IsProse() {
			f.prose += b.Words
		}
	}
}

// conform moves the log-odds of blocks towards the mean of their cluster: blocks
// of one template are content together, or not at all.
func (s *surroundings) conform(odds []float64) {
	sums, weights := make([]float64, len(s.clusters)), make([]float64, len(s.clusters))
	for i, k := range s.clusterOf {
		w := min(s.Blocks[i].Words, 30) + 1
		sums[k] += w * odds[i]
		weights[k] += w
	}
	for i, k := range s.clusterOf {
		if s.clusters[k].blocks < 2 || s.phrases[i] != 0 {
			continue
		}
		share := conformity
		if !s.classed(i) {
			share = conformity / 3 // every page has such clusters
		}
		odds[i] += share * (sums[k]/weights[k] - odds[i])
	}
}

// classed reports whether a class distinguishes the cluster of a block from
// others.
func (s *surroundings) classed(i int) bool {
	for e, n := s.Blocks[i].Elem, 0; e >= 0 && n < 3; e, n = s.Elems[e].Parent, n+1 {
		if dom.Attr(s.Elems[e].Node, "class") != "" {
			return true
		}
	}
	return false
}

// conformity is the weight of the cluster's mean, from 0 to 1.
const conformity = 0.3
