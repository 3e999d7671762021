package search

import (
	"cmp"
	"math"
	"slices"

	"techo/internal/meaning"
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
	c.own, c.cover = own.own, f.weightOf(own)/f.whole()
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

// compareFits takes the figures of candidates that depend on the other ones.
func (t *together) compareFits(all []candidate) error {
	order := make([]*candidate, len(all))
	found, most, covered := 0.0, 1e-9, 0.0
	for i := range all {
		order[i] = &all[i]
		found, most, covered = max(found, all[i].own), max(most, float64(all[i].Likeness)), max(covered, all[i].Features[ofContext])
	}
	trust := wellFound / (wellFound + found) // in meaning: likeness fills what words leave empty
	open := max(0, 1-covered)                // what no text has words for, other figures decide
	slices.SortFunc(order, func(a, b *candidate) int { return cmp.Compare(b.own, a.own) })
	before := 0
	for _, c := range order {
		for order[before].own > c.own*slack {
			before++
		}
		x := &c.Features
		x[ofPlace] = 1 / float64(before+1)
		x[ofMeaning] = trust * max(0, float64(c.Likeness)) / most
		x[ofNearMeaning] *= open * trust
		x[ofAsking] *= open
	}
	return t.compareAges(order, open)
}

// dated is the number of candidates, those that fit best, of which newer and older ones are compared.
const dated = 32

// compareAges takes the figure of age: what a newer candidate says may have replaced what one like it says. It counts
// less if it fits worse, and not if the question names another time. Turns of a conversation follow each other and
// replace nothing.
func (t *together) compareAges(all []*candidate, open float64) error {
	all = slices.DeleteFunc(all, func(c *candidate) bool { return c.Traits.Speaker != "" || c.elsewhen })
	fits := func(c *candidate) float64 { return c.cover + c.Features[ofMeaning] }
	slices.SortFunc(all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(fits(b), fits(a)), cmp.Compare(b.At, a.At))
	})
	all = all[:min(len(all), dated)]
	vecs := make([]meaning.Vec, len(all))
	for _, f := range t.all {
		var nums []uint32
		var places []int
		for i, c := range all {
			if d := f.waitingText(c.Num); c.Part == f.part && d != nil {
				vecs[i] = d.Vec
			} else if c.Part == f.part {
				nums, places = append(nums, c.Num), append(places, i)
			}
		}
		if err := f.vecs(nums, func(i int, v *meaning.Vec) { vecs[places[i]] = *v }); err != nil {
			return err
		}
	}
	newer, older := make([]float64, len(all)), make([]float64, len(all))
	for i, c := range all {
		for k, better := range all[:i] {
			if c.At == better.At {
				continue
			}
			alike, part := float64(meaning.Likeness(&vecs[i], &vecs[k])), fits(c)/max(fits(better), 1e-9)
			less := alike * part * part
			if c.At > better.At {
				newer[k], older[i] = max(newer[k], less), max(older[i], alike)
			} else {
				older[k], newer[i] = max(older[k], less), max(newer[i], alike)
			}
		}
	}
	for i, c := range all {
		c.Features[ofAge] = open * (newer[i] - older[i])
	}
	return nil
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

// Outlook is what a question and all its candidates say about whether any of them answers.
type Outlook struct {
	Need     float64 // how much it is like the questions that texts answer, rather than like messages that need none
	Odds     float64 // the sum of those of the candidates, and of one that is as good as the best: few are not likely alone
	Likeness float64 // the largest of a candidate
}

// OutlookOf returns the outlook of a question with a need, and of its candidates, whose scores are their odds.
func OutlookOf(need float64, all []Hit) Outlook {
	o, best := Outlook{Need: need}, 0.0
	for _, h := range all {
		best = max(best, h.Score)
		o.Odds, o.Likeness = o.Odds+h.Score, max(o.Likeness, float64(h.Likeness))
	}
	o.Odds += best
	return o
}

// Need tells how much a question is like those that texts answer, rather than like messages that need none.
type Need struct {
	Meaning meaning.Vec // of a question that needs a text
	Usual   float64     // the mean likeness of the questions to it
}

// Of returns the need of a question: the usual one if it is looked up, or has no meaning.
func (n *Need) Of(question string) float64 {
	vec := meaning.Vector(question)
	if vec.Zero() || IsLookup(question) {
		return n.Usual
	}
	return float64(meaning.Likeness(&vec, &n.Meaning))
}

// IsLookup reports whether a question is words alone, such as wifi password, without one that makes them a sentence. Its
// meaning tells nothing of who asks it and what for.
func IsLookup(question string) bool {
	return !slices.ContainsFunc(distinct(newReader(), question), func(t token) bool { return t.common })
}

// OutlookFigures are what decides how likely a candidate answers. The last one is always 1.
type OutlookFigures [4]float64

// Figures returns those of a candidate, whose score is its odds.
func (o Outlook) Figures(h Hit) OutlookFigures {
	return OutlookFigures{math.Log(h.Score / o.Odds), o.Likeness, o.Need, 1}
}

// Probability returns how likely it is that a candidate answers, whose score is its odds.
func (o Outlook) Probability(h Hit) float64 {
	sum := 0.0
	for i, x := range o.Figures(h) {
		sum += certainty[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}
