package content

import (
	_ "embed"
	"sync"
)

// secondTable is the trained second stage, encoded like table. TestTrain fits it on
// odds from models that did not see the page.
//
//go:embed second.bin
var secondTable []byte

var secondTrained = sync.OnceValue(func() *model { return readModel(secondTable) })

// reconsider corrects the log-odds of the first stage, except certain ones, by what it
// found in the neighbours, the sections and the elements around each block. A small
// page has too little around a block.
func (s *surroundings) reconsider(odds []float64) {
	if s.words < smallPage {
		return
	}
	j, m := s.judge(odds), secondTrained()
	better := make([]float64, len(odds))
	var v vector
	for i, o := range odds {
		if better[i] = o; isUncertain(o) {
			j.describe(&v, i)
			better[i] = m.odds(&v, o)
		}
	}
	copy(odds, better)
}

// doubt is the log-odds from which a block is not considered again.
const doubt = 3.5

// isUncertain reports whether the second stage considers a block.
func isUncertain(odds float64) bool { return odds > -doubt && odds < doubt }

// secondFeatures is the number of features of the second stage.
const secondFeatures = 54

// judgement has what the first stage found on a page: prefix sums over its blocks, and
// properties that the features of the second stage depend on. Odds are clipped to
// ±certain; a weight is the number of words, at most 30, plus one.
type judgement struct {
	s        *surroundings
	odds     []float64
	chances  []float64
	weight   []float64 // sums of the weights
	weighted []float64 // sums of weights times odds
	size     []float64 // sums of words
	hits     []float64 // sums of words times probabilities
	likely   []float64 // sums of the words of blocks with a probability above one half
	run      []float64 // words of the run of blocks around that are all likely, or all not; negative if not
	heading  []int     // block of the heading above, or -1
	section  []int     // end of the blocks under that heading
	cluster  []float64 // mean odds by cluster

	rank               [ranks]float64 // share of the words in blocks that are at least as probable, by rank
	fit                [ranks]float64 // expected F1 of the blocks that are at least as probable, as a share of the best
	best               float64        // the best expected F1
	cut                float64        // the lowest odds of the blocks that have it
	sure               float64        // words of blocks with a probability above 0.9
	long               float64        // words of the longest run of likely blocks
	first, last        int            // the first and last block of text with a probability above 0.9, or -1
	likelyAt, likelyTo int            // the first and last likely block of text, or -1
}

// ranks is the number of intervals of log-odds, half a unit each.
const ranks = 4*certain + 1

func rankOf(odds float64) int {
	return int(2 * (min(max(odds, -certain), certain) + certain))
}

// judge sums up the log-odds of the first stage.
func (s *surroundings) judge(odds []float64) *judgement {
	n := len(odds)
	some := func(n int) []float64 { return make([]float64, n) }
	j := &judgement{s: s, odds: odds, chances: some(n), run: some(n), weight: some(n + 1),
		weighted: some(n + 1), size: some(n + 1), hits: some(n + 1), likely: some(n + 1),
		heading: make([]int, n), section: make([]int, n), cluster: make([]float64, len(s.clusters))}
	j.first, j.last, j.likelyAt, j.likelyTo = -1, -1, -1, -1
	weights := make([]float64, len(s.clusters))
	for i, o := range odds {
		p, words := sigmoid(o), s.Blocks[i].Words
		j.chances[i] = p
		w, o := min(words, 30)+1, min(max(o, -certain), certain)
		j.weight[i+1], j.weighted[i+1] = j.weight[i]+w, j.weighted[i]+w*o
		j.size[i+1], j.hits[i+1] = j.size[i]+words, j.hits[i]+words*p
		if j.likely[i+1] = j.likely[i]; p > 0.5 {
			j.likely[i+1] += words
		}
		k := s.clusterOf[i]
		j.cluster[k] += w * o
		weights[k] += w
		if p > 0.9 {
			j.sure += words
		}
		j.extend(i)
	}
	for k, w := range weights {
		j.cluster[k] /= w
	}
	j.findRuns()
	j.findSections()
	j.findRanks()
	return j
}

// extend updates the first and last probable blocks.
func (j *judgement) extend(i int) {
	words := j.s.Blocks[i].Words
	if j.chances[i] > 0.9 && words >= 8 {
		if j.last = i; j.first < 0 {
			j.first = i
		}
	}
	if j.chances[i] > 0.5 && words >= 5 {
		if j.likelyTo = i; j.likelyAt < 0 {
			j.likelyAt = i
		}
	}
}

// findRuns finds the runs of blocks that are all likely, or all not.
func (j *judgement) findRuns() {
	for from, n := 0, len(j.odds); from < n; {
		is := j.chances[from] > 0.5
		to := from + 1
		for to < n && (j.chances[to] > 0.5) == is {
			to++
		}
		words := j.size[to] - j.size[from]
		if is {
			j.long = max(j.long, words)
		} else {
			words = -words
		}
		for ; from < to; from++ {
			j.run[from] = words
		}
	}
}

// findSections finds the heading above each block, and the end of its section.
func (j *judgement) findSections() {
	heading := -1
	for i := range j.s.Blocks {
		if isHeading(j.s.Outline, i) {
			heading = i
		}
		j.heading[i] = heading
	}
	for i := len(j.s.Blocks) - 1; i >= 0; i-- {
		if j.section[i] = i + 1; i+1 < len(j.s.Blocks) && j.heading[i+1] == j.heading[i] {
			j.section[i] = j.section[i+1]
		}
	}
}

// findRanks computes the expected F1 for each limit of the log-odds.
func (j *judgement) findRanks() {
	var words, hits [ranks]float64
	for i, o := range j.odds {
		r := rankOf(o)
		words[r] += j.s.Blocks[i].Words
		hits[r] += j.s.Blocks[i].Words * j.chances[i]
	}
	n := len(j.odds)
	hit, got := 0.0, 0.0
	for r := ranks - 1; r >= 0; r-- {
		hit, got = hit+hits[r], got+words[r]
		j.rank[r] = got / max(j.size[n], 1)
		if j.fit[r] = 2 * hit / max(got+j.hits[n], 1e-9); j.fit[r] > j.best {
			j.best, j.cut = j.fit[r], float64(r)/2-certain
		}
	}
	for r := range j.fit {
		j.fit[r] /= max(j.best, 0.01)
	}
}

// mean returns the mean log-odds of blocks first to last-1.
func (j *judgement) mean(first, last int) float32 {
	if first, last = max(first, 0), min(last, len(j.odds)); first >= last {
		return -certain
	}
	return float32((j.weighted[last] - j.weighted[first]) / (j.weight[last] - j.weight[first]))
}

// share returns the expected share of content in the words of blocks first to last-1.
func (j *judgement) share(first, last int) float32 {
	if first, last = max(first, 0), min(last, len(j.odds)); first >= last {
		return 0
	}
	return float32((j.hits[last] - j.hits[first]) / max(j.size[last]-j.size[first], 1))
}

// describe computes the features of a block.
func (j *judgement) describe(v *vector, i int) {
	v.n = 0
	n := len(j.odds)
	expected, likely, words := max(j.hits[n], 1), max(j.likely[n], 1), max(j.size[n], 1)
	k := j.s.clusterOf[i]
	v.add(float32(j.odds[i]), float32(j.cluster[k]), float32(j.s.clusters[k].blocks))
	for _, step := range [...]int{-2, -1, 1, 2} {
		v.add(j.mean(i+step, i+step+1))
	}
	for _, reach := range [...]int{3, 8, 20} {
		v.add(j.mean(i-reach, i), j.mean(i+1, i+1+reach))
	}
	for _, reach := range [...]int{5, 15, n} {
		v.add(j.share(i-reach, i), j.share(i+1, i+1+reach))
	}
	v.add(float32(j.hits[i]/expected), float32((j.hits[n]-j.hits[i+1])/expected),
		float32(j.likely[i]/likely), float32((j.likely[n]-j.likely[i+1])/likely))
	j.describeContainers(v, i)
	r := rankOf(j.odds[i])
	v.add(float32(j.rank[r]), float32(j.fit[r]), float32(j.cut), float32(j.odds[i]-j.cut), float32(j.best))
	v.add(float32(likely/words), float32(j.sure/words), float32(expected/words), float32(likely),
		float32(j.long/likely), float32(j.run[i]), float32(j.run[i]/words))
	v.add(distance(i, j.first), distance(i, j.last), distance(i, j.likelyAt), distance(i, j.likelyTo))
	if h := j.heading[i]; h >= 0 {
		v.add(float32(j.odds[h]), float32(i-h), j.share(h, j.section[i]))
	} else {
		v.add(-certain, -1, -1)
	}
}

// describeContainers adds the features of the enclosing elements, each much larger than
// the previous one.
func (j *judgement) describeContainers(v *vector, i int) {
	at := j.s.Blocks[i].Elem
	for level := range 4 {
		e := &j.s.Elems[at]
		v.add(j.mean(e.First, e.Last), j.share(e.First, e.Last),
			float32((j.hits[e.Last]-j.hits[e.First])/max(j.hits[len(j.odds)], 1)))
		if level < 3 {
			at = j.s.larger(at)
		}
	}
}

// distance returns how many blocks i is behind from, 0 if from is negative.
func distance(i, from int) float32 {
	if from < 0 {
		return 0
	}
	return float32(i - from)
}
