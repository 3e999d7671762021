package search

import (
	"slices"
	"strings"

	"techo/store/kv"
	"techo/store/search/common"
)

// NearlySame is the overlap from which two texts count as near duplicates.
const NearlySame = 0.7

// Overlap returns the Jaccard index of the terms of two bags.
func (b Bag) Overlap(o Bag) float64 {
	both := 0
	for i, j := 0, 0; i < len(b.Terms) && j < len(o.Terms); {
		switch c := strings.Compare(b.Terms[i].Term, o.Terms[j].Term); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return float64(both) / float64(max(len(b.Terms)+len(o.Terms)-both, 1))
}

// Has reports whether the bag contains a term.
func (b Bag) Has(term string) bool {
	return b.count(term) > 0
}

const (
	sampled    = 48      // terms whose frequency is looked up
	rarest     = 16      // of them, whose lists are read
	alikeReads = 1 << 17 // postings that are read at most
	compared   = 64      // texts, the best by their scores, that are compared
	maxAlike   = 32      // texts returned: facts about a person may share a name alone
	fewAlike   = 12      // likewise, for a bag with more than sampled terms
)

// Alike is a text that shares rare terms with another one.
type Alike struct {
	ID    string
	Share float64 // of the rarest terms of the other text
}

// Alike returns the texts that share most of the rarest terms of a bag, the best first.
// Terms are weighted as in a search.
func (x Index) Alike(tx kv.Tx, bag Bag) (all []Alike, err error) {
	f := &finding{index: x, tx: tx}
	for _, t := range sampleTerms(bag) {
		f.question.terms = append(f.question.terms, asked{term: t})
	}
	if err := f.open(); err != nil || f.numbers.Texts == 0 {
		return nil, err
	}
	f.rank()
	read := 0
	for i, a := range f.terms {
		if read += a.count(); i == rarest || read > alikeReads {
			f.terms = f.terms[:i]
			break
		}
	}
	if err := f.readBlocks(); err != nil {
		return nil, err
	}
	k := &keeper{wanted: compared, door: -1}
	f.scan(len(f.terms), k, false)
	if len(bag.Terms) > sampled {
		return f.alike(k.kept, fewAlike)
	}
	return f.alike(k.kept, maxAlike)
}

// alike returns up to most of the best texts. A text counts by its score and by how much of
// the shorter one of it and the bag is in the other.
func (f *finding) alike(best []scored, most int) (all []Alike, err error) {
	if f.err != nil {
		return nil, f.err
	}
	nums := make([]uint32, len(best))
	for i, s := range best {
		nums[i] = s.num
	}
	slices.Sort(nums)
	facts := f.facts(nums)
	for i, s := range best {
		d := facts.of(s.num)
		best[i].score *= float64(d.count()) / float64(max(min(len(f.terms), int(d.length)), 1))
	}
	slices.SortFunc(best, scored.before)
	best = best[:min(most, len(best))]
	if err := f.readOwnersOf(best); err != nil {
		return nil, err
	}
	for _, s := range best {
		o, err := f.owner(s.num)
		if err != nil {
			return nil, err
		}
		all = append(all, Alike{o.ID, float64(facts.of(s.num).count()) / float64(len(f.terms))})
	}
	return all, f.err
}

// Rare returns terms of a bag, without common ones if it has others.
func (b Bag) Rare() []string { return sampleTerms(b) }

// sampleTerms returns terms of a bag, without common ones if it has others.
func sampleTerms(bag Bag) (terms []string) {
	for _, t := range bag.Terms {
		if !common.Word(t.Term) && !common.Pair(t.Term) {
			terms = append(terms, t.Term)
		}
	}
	if len(terms) == 0 {
		for _, t := range bag.Terms {
			terms = append(terms, t.Term)
		}
	}
	if len(terms) <= sampled {
		return terms
	}
	every := make([]string, sampled)
	for i := range every {
		every[i] = terms[i*len(terms)/sampled]
	}
	return every
}
