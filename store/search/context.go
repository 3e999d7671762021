package search

import (
	"cmp"
	"slices"
	"strings"
)

// The texts around a candidate: its neighbours in the session or, without a session, in time. Only terms that
// distinguish texts count for the neighbours.
const (
	beside = 2 // texts on either side of a candidate that are candidates as well
	near   = 3 // texts on either side of which the best counts
)

// Around is the number of texts on either side that are the context of a text.
const Around = 8

// fact is what the terms of the question say about a text.
type fact struct {
	num   uint32
	own   float64
	leads float64 // the own score by terms that distinguish
	terms [maxTerms / 64]uint64
}

// has reports whether it has a term of the question.
func (d *fact) has(i int) bool { return d.terms[i/64]&(1<<(i%64)) != 0 }

// candidate is a text with the texts around it.
type candidate struct {
	Hit
	own, cover float64 // BM25, and share of the question's weight
	around     []uint32
	at         int // index of the text in around
}

// inContext takes the figures of texts and of the texts beside them in their sessions.
func (f *finding) inContext(best []Hit) ([]candidate, error) {
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
	for i := range all {
		c := &all[i]
		own := facts.index(c.Num, 0)
		if c.Matches = f.matches(&facts[own]); c.Matches {
			c.Beside = ""
		}
		c.Likeness = f.likeness[c.Num]
		c.elsewhen = f.query.Within != nil && !f.query.Within(c.At) ||
			len(f.query.Favoured) > 0 && !slices.Contains(f.query.Favoured, c.Num) && !f.namesTime(&facts[own])
		if err := f.figures(c, facts, own); err != nil {
			return nil, err
		}
	}
	return all, f.err
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
		alike = append(alike, c.around[max(0, c.at-beside-near):min(c.at+beside+near+1, len(c.around))]...)
	}
	if err := f.readOwners(nums, 0, f.likenessKeys(alike)...); err != nil {
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
			other := Hit{Part: f.part, Beside: h.ID}
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
		if all[i] = (candidate{Hit: h, around: []uint32{h.Num}}); f.query.Around == nil {
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

// weightOf returns the weight of the terms of a text that distinguish.
func (f *finding) weightOf(d *fact) (weight float64) {
	for i, a := range f.terms {
		if a.leads && d.has(i) {
			weight += a.weight
		}
	}
	return weight
}

// namesTime reports whether a text has the name of the time that the question names, perhaps without its year: what is so
// in August is so in August 2026.
func (f *finding) namesTime(d *fact) bool {
	names := 0
	for _, term := range f.timeName {
		i := slices.IndexFunc(f.terms, func(a asked) bool { return a.term == term })
		if i >= 0 && d.has(i) {
			names++
		} else if !isYear(term) {
			return false
		}
	}
	return names > 0
}

// isYear reports whether a term is a number of four digits.
func isYear(term string) bool {
	return len(term) == 4 && strings.Trim(term, "0123456789") == ""
}

// matches reports whether a text has a term that is not common, or two kana terms.
func (f *finding) matches(d *fact) bool {
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

// index returns the index of the fact of a text, which may be the one at a guess: neighbours have neighbouring numbers.
func (all facts) index(num uint32, guess int) int {
	if guess < len(all) && all[guess].num == num {
		return guess
	}
	i, _ := slices.BinarySearchFunc(all, num, func(d fact, n uint32) int { return cmp.Compare(d.num, n) })
	return i
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
			all[j].own += score
			all[j].terms[i/64] |= 1 << (i % 64)
			if it.a.leads {
				all[j].leads += score
			}
		}
	}
	return all
}
