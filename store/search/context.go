package search

import (
	"cmp"
	"math/bits"
	"slices"
)

// # Context
//
// The best texts by their own scores are ranked again with what stands around them: their neighbours
// in the session or, without a session, in time, up to eight on either side. A text scores
//
//	own × traits      its own score, by what kind of text it is (manner)
//	+ near ×          the scores of the two texts on either side
//	+ follow ×        the score of the text before it, if that asks
//	+ peak ×          the best score among itself and the three on either side
//	+ cover ×         the weights of the terms that it and the texts around it have
//
// Only terms that distinguish texts count for the neighbours.
const (
	near   = 0.15
	follow = 0.7
	peak   = 0.4
	cover  = 0.25

	beside = 2 // texts on either side whose scores are near
	peaks  = 3 // texts on either side of which the best counts

	asking   = 0.7 // of a text that asks: the answer is usually another one
	personal = 1.5 // of a text in the first person by the speaker whom the question names
	timed    = 2.5 // of a text with a relative time, if the question asks when
)

// Around is the number of texts on either side that are the context of a text.
const Around = 8

// distinguishes reports whether a term is rare enough to count for neighbours.
func (f *finding) distinguishes(count int) bool {
	texts, _ := f.query.Together.statistics(f.numbers)
	return count <= max(2, texts/3)
}

// fact is what the terms of the question say about a text.
type fact struct {
	num    uint32
	length uint32 // if it has a term
	own    float64
	leads  float64 // the own score by terms that distinguish
	terms  [maxTerms / 64]uint64
}

// has reports whether it has a term of the question.
func (d *fact) has(i int) bool { return d.terms[i/64]&(1<<(i%64)) != 0 }

// count returns the number of terms.
func (d fact) count() (n int) {
	for _, word := range d.terms {
		n += bits.OnesCount64(word)
	}
	return n
}

// candidate is a text with the texts around it.
type candidate struct {
	Hit
	around []uint32
	at     int // index of the text in around
}

// inContext scores texts in their context. It adds texts beside them.
func (f *finding) inContext(best []Hit) ([]Hit, error) {
	all, err := f.candidates(best)
	if err != nil {
		return nil, err
	}
	var nums []uint32
	for _, c := range all {
		nums = append(nums, c.around...)
	}
	slices.Sort(nums)
	nums = slices.Compact(nums)
	if err := f.readLikeness(all); err != nil {
		return nil, err
	}
	facts := f.facts(nums)
	var hits []Hit
	for _, c := range all {
		own := facts.of(c.Num)
		if c.Matches = f.matches(own); c.Matches {
			c.Beside = ""
		}
		if c.Score = own.own; f.query.Around != nil {
			if c.Score, err = f.inPlace(facts, c); err != nil {
				return nil, err
			}
		}
		c.gainBeside = f.gainBeside(c)
		for i, a := range f.terms {
			if a.exact && a.leads && own.has(i) {
				c.exact++
			}
		}
		if f.query.Around != nil && f.query.Within == nil && len(c.around) == 1 {
			c.alone = f.weightOf(own)
		}
		hits = append(hits, c.Hit)
	}
	return hits, f.err
}

// candidates returns the best texts, and the texts beside them in their sessions.
func (f *finding) candidates(best []Hit) (all []candidate, err error) {
	seen := map[uint32]bool{}
	for _, h := range best {
		seen[h.Num] = true
	}
	if all, err = f.place(best); err != nil {
		return nil, err
	}
	var nums, alike []uint32
	for _, c := range all {
		nums = append(nums, c.around[max(0, c.at-beside-1):min(c.at+beside+1, len(c.around))]...)
		alike = append(alike, c.around[max(0, c.at-beside-peaks):min(c.at+beside+peaks+1, len(c.around))]...)
	}
	if err := f.readOwners(nums, 0, likenessKeys(f, alike)...); err != nil {
		return nil, err
	}
	var others []Hit
	for _, c := range all {
		h := c.Hit
		if h.Group == 0 {
			continue
		}
		for i := max(0, c.at-beside); i <= min(c.at+beside, len(c.around)-1); i++ {
			num := c.around[i]
			if seen[num] || !f.query.has(num) {
				continue
			}
			seen[num] = true
			other := Hit{Beside: h.ID}
			if other.Owner, err = f.owner(num); err != nil {
				return nil, err
			}
			others = append(others, other)
		}
	}
	more, err := f.place(others)
	return append(all, more...), err
}

// place returns texts with the texts around them.
func (f *finding) place(hits []Hit) ([]candidate, error) {
	all := make([]candidate, len(hits))
	var placed []*candidate
	var owners []Owner
	for i, h := range hits {
		if all[i] = (candidate{h, []uint32{h.Num}, 0}); f.query.Around == nil {
			continue
		}
		bulk, err := f.inBulk(h.Owner)
		if err != nil {
			return nil, err
		}
		if !bulk {
			placed, owners = append(placed, &all[i]), append(owners, h.Owner)
		}
	}
	if len(owners) == 0 {
		return all, nil
	}
	around, err := f.query.Around(owners)
	for i, n := range around {
		if len(n.Nums) > 0 {
			placed[i].around, placed[i].at = n.Nums, n.At
		}
	}
	return all, err
}

// MaxAtOnce is the largest number of texts of one instant, without groups, that can be
// neighbours. More were imported together, and their order means nothing.
const MaxAtOnce = 64

// inBulk reports whether the text with a number MaxAtOnce lower or higher, in the same
// chunk, has the same time. It saves looking for the texts around.
func (f *finding) inBulk(o Owner) (bool, error) {
	if o.Group != 0 || o.Num >= f.numbers.Folded {
		return false, nil
	}
	c, err := f.ownersOf(o.Num)
	if err != nil {
		return false, err
	}
	other := int(o.Num%ownersPerChunk) + MaxAtOnce
	if other >= ownersPerChunk {
		other -= 2 * MaxAtOnce
	}
	if other >= c.len() {
		return false, nil
	}
	at, grouped := c.time(other)
	return at == o.At && !grouped, nil
}

// inPlace returns the score of a text in its context.
func (f *finding) inPlace(facts facts, c candidate) (float64, error) {
	own, at := facts.near(c.Num, 0)
	score, best := f.manner(c.Owner)*own.own, own.own
	var together fact
	for i, num := range c.around {
		d := own
		if i != c.at {
			d, at = facts.near(num, at+1)
		}
		for k := range together.terms {
			together.terms[k] |= d.terms[k]
		}
		if i == c.at {
			continue
		}
		distance := max(i-c.at, c.at-i)
		if distance <= beside {
			score += near * d.leads
		}
		if distance <= peaks {
			best = max(best, d.leads)
		}
		if i == c.at-1 && d.leads > 0 {
			o, err := f.owner(num)
			if err != nil {
				return 0, err
			}
			if o.Traits.Asks {
				score += follow * d.leads
			}
		}
	}
	return score + peak*best + cover*f.weightOf(together), nil
}

// manner returns the factor of a text by its traits.
func (f *finding) manner(o Owner) float64 {
	factor := 1.0
	if o.Traits.Asks {
		factor *= asking
	}
	if o.Traits.Personal && o.Traits.Speaker != "" && f.question.names[o.Traits.Speaker] {
		factor *= personal
	}
	if f.question.when && o.Traits.Timed {
		factor *= timed
	}
	return factor
}

// weightOf returns the weight of the terms of a text that distinguish.
func (f *finding) weightOf(d fact) (weight float64) {
	for i, a := range f.terms {
		if a.leads && d.has(i) {
			weight += a.weight
		}
	}
	return weight
}

// matches reports whether a text has a term that is not common, or two kana terms.
func (f *finding) matches(d fact) bool {
	kana := 0
	for i, a := range f.terms {
		if d.has(i) && !a.common {
			return true
		}
		if d.has(i) && a.kana {
			kana++
		}
	}
	return kana > 1
}

// facts are sorted by number.
type facts []fact

func (all facts) of(num uint32) fact {
	d, _ := all.near(num, 0)
	return d
}

// near returns the fact of a text with its index, which may be the one at a guess: neighbours in a session have
// neighbouring numbers, so that most need no search.
func (all facts) near(num uint32, guess int) (d fact, at int) {
	if guess < len(all) && all[guess].num == num {
		return all[guess], guess
	}
	at, ok := slices.BinarySearchFunc(all, num, func(d fact, n uint32) int { return cmp.Compare(d.num, n) })
	if !ok {
		return fact{num: num}, at
	}
	return all[at], at
}

// facts looks up texts, sorted by number, in all lists.
func (f *finding) facts(nums []uint32) facts {
	all := make(facts, len(nums))
	for i, num := range nums {
		all[i].num = num
	}
	for i, it := range f.iterators() {
		for j, num := range nums {
			p, ok := it.posting(num)
			if !ok {
				continue
			}
			score := f.share(it.a, p)
			all[j].length = p.length
			all[j].own += score
			all[j].terms[i/64] |= 1 << (i % 64)
			if it.a.leads {
				all[j].leads += score
			}
		}
	}
	return all
}
