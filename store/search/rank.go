package search

import (
	"cmp"
	"math"
	"slices"
)

// Features are the figures of a candidate, which the comment of the package defines.
type Features [features]float64

// The features, in the order of their weights.
const (
	ofCover = iota
	ofPlace
	ofCode
	ofMeaning
	ofContext
	ofNear
	ofNearMeaning
	ofReply
	ofAsking
	ofSpeaker
	ofTime
	ofAge
	features
)

// wellFound is the BM25 of the best candidate at which likeness counts half.
const wellFound = 10

// figures takes the figures of a candidate. facts are of it, with an index, and of the texts around it.
func (f *finding) figures(c *candidate, facts facts, at int) error {
	own, x := &facts[at], &c.Features
	c.fit = fit{own: own.own, cover: f.weightOf(own) / f.whole(), alike: f.likenessOf(c.Num)}
	x[ofCover] = c.cover * c.cover
	for k, a := range f.terms {
		if a.code && own.has(k) {
			x[ofCode] += 1 / float64(f.together.codes)
		}
	}
	if c.Traits.Asks {
		x[ofAsking] = 1
	}
	if c.Traits.Personal && c.Traits.Speaker != "" && f.question.names[c.Traits.Speaker] {
		x[ofSpeaker] = 1
	}
	if f.question.when && c.Traits.Timed {
		x[ofTime] = 1
	}
	return f.surroundings(c, facts, at)
}

// fit is how well a candidate fits, and how many others fit better or as well.
type fit struct {
	own, cover, alike    float64
	before, peers, newer int // candidates with more BM25; that fit about as well, with itself; and are newer
}

// Of two candidates that fit about as well, cover and likeness lie in the same or neighbouring twentieths.
const twentieths = 20

// cell returns where a candidate is counted, with a row before and behind all.
func (a *fit) cell() (cover, alike int) {
	at := func(x float64) int { return 1 + int(twentieths*min(1, x*slack)) }
	return at(a.cover), at(a.alike)
}

// compareFits takes the figures of candidates that depend on the other ones.
func compareFits(all []candidate) {
	order := make([]*candidate, len(all))
	found, most, covered := 0.0, 1e-9, 0.0
	for i := range all {
		order[i] = &all[i]
		found, most, covered = max(found, all[i].own), max(most, all[i].alike), max(covered, all[i].Features[ofContext])
	}
	countBetter(order)
	countNewer(order)
	trust := wellFound / (wellFound + found) // in meaning: likeness fills what words leave empty
	open := 1 - covered                      // what no text has words for, other figures decide
	for _, c := range order {
		x := &c.Features
		x[ofPlace], x[ofAge] = 1/float64(c.before+1), open*float64(c.newer)/float64(c.peers)
		x[ofMeaning] = trust * c.alike / most
		x[ofNearMeaning] *= open * trust
		x[ofAsking] *= open
	}
}

// countBetter counts the candidates with more BM25 than each.
func countBetter(all []*candidate) {
	slices.SortFunc(all, func(a, b *candidate) int { return cmp.Compare(b.own, a.own) })
	before := 0
	for _, c := range all {
		for all[before].own > c.own*slack {
			before++
		}
		c.before = before
	}
}

// countNewer counts the candidates that fit about as well as each, and those of them that are newer.
func countNewer(all []*candidate) {
	slices.SortFunc(all, func(a, b *candidate) int { return cmp.Compare(b.At, a.At) })
	var counted [twentieths + 3][twentieths + 3]int
	around := func(c *candidate) (n int) {
		cover, alike := c.cell()
		for _, row := range counted[cover-1 : cover+2] {
			n += row[alike-1] + row[alike] + row[alike+1]
		}
		return n
	}
	for from := 0; from < len(all); {
		to := from
		for ; to < len(all) && all[to].At == all[from].At; to++ {
			all[to].newer = around(all[to])
		}
		for ; from < to; from++ {
			cover, alike := all[from].cell()
			counted[cover][alike]++
		}
	}
	for _, c := range all {
		c.peers = around(c)
	}
}

// surroundings takes the figures of the texts around a candidate.
func (f *finding) surroundings(c *candidate, facts facts, at int) error {
	x, around, whole := &c.Features, facts[at], f.whole()
	x[ofNearMeaning] = f.likenessOf(c.Num)
	for k, num := range c.around {
		if k == c.at {
			continue
		}
		at = facts.index(num, at+1)
		d := &facts[at]
		for i := range around.terms {
			around.terms[i] |= d.terms[i]
		}
		if max(k-c.at, c.at-k) <= near {
			x[ofNear] = max(x[ofNear], d.leads/whole)
			x[ofNearMeaning] = max(x[ofNearMeaning], f.likenessOf(num))
		}
		if k == c.at-1 && d.leads > 0 {
			before, err := f.owner(num)
			if err != nil {
				return err
			}
			if before.Traits.Asks {
				x[ofReply] = d.leads / whole
			}
		}
	}
	x[ofContext] = f.weightOf(&around) / whole
	return nil
}

// whole is the weight of all terms of the question.
func (f *finding) whole() float64 { return max(f.together.whole, 1e-9) }

// likenessOf is the likeness of a text to the question, 0 if they have nothing to do with each other.
func (f *finding) likenessOf(num uint32) float64 { return max(0, float64(f.likeness[num])) }

// odds returns how much a candidate counts against the others.
func (x *Features) odds() float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * x[i]
	}
	return math.Exp(sum)
}

// Outlook is what all candidates of a search say about whether any of them answers.
type Outlook struct {
	Odds     float64 // their sum
	Cover    float64 // the largest of the feature of any
	Likeness float64 // likewise
}

// OutlookOf returns the outlook of some candidates, whose scores are their odds.
func OutlookOf(all []Hit) (o Outlook) {
	for _, h := range all {
		o = o.With(Outlook{h.Score, h.Features[ofCover], float64(h.Likeness)})
	}
	return o
}

// With returns the outlook of the candidates of two searches.
func (o Outlook) With(other Outlook) Outlook {
	return Outlook{o.Odds + other.Odds, max(o.Cover, other.Cover), max(o.Likeness, other.Likeness)}
}

// Figures are what decides how likely a candidate with some odds answers; the last one is always 1.
func (o Outlook) Figures(odds float64) [4]float64 {
	return [4]float64{math.Log(odds / o.Odds), o.Cover, o.Likeness, 1}
}

// Probability returns how likely it is that a candidate with some odds answers.
func (o Outlook) Probability(odds float64) float64 {
	sum := 0.0
	for i, x := range o.Figures(odds) {
		sum += certainty[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}
