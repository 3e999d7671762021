package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"techo/store/kv"
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

const (
	sampled     = 48      // terms whose frequency is looked up
	sharedLists = 8       // the rarest of them, whose lists are read
	longList    = 1 << 15 // longer lists are not read
	maxSharing  = 8       // texts returned
)

// Sharing returns the ids of texts that may be near duplicates of a bag: those
// that share most of its rarest terms.
func (x Index) Sharing(tx kv.Tx, bag Bag) (ids []string, err error) {
	terms := slices.Clone(bag.Terms)
	if len(terms) > sampled {
		every := make([]Count, sampled)
		for i := range every {
			every[i] = terms[i*len(terms)/sampled]
		}
		terms = every
	}
	f := &finding{index: x, tx: tx}
	if f.numbers, err = x.numbers(tx); err != nil || f.numbers.Texts == 0 {
		return nil, err
	}
	at := map[string]int{}
	for i, t := range terms {
		at[t.Term] = i
		f.terms = append(f.terms, asked{term: t.Term})
	}
	err = x.waiting(tx, f.numbers.Version, func(d Doc) error {
		f.waiting = append(f.waiting, d)
		for _, t := range d.Bag.Terms {
			if i, ok := at[t.Term]; ok {
				f.terms[i].waiting = append(f.terms[i].waiting, posting{num: d.Num, n: t.N})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range f.terms {
		if f.terms[i].head, err = x.loadHead(tx, f.terms[i].term); err != nil {
			return nil, err
		}
	}
	f.terms = slices.DeleteFunc(f.terms, func(a asked) bool { return a.count() == 0 })
	if float64(len(f.terms)) < NearlySame*float64(len(terms)) {
		return nil, nil // too many terms are new
	}
	return f.sharing()
}

// sharing counts the texts that contain the rarest terms.
func (f *finding) sharing() (ids []string, err error) {
	slices.SortFunc(f.terms, func(a, b asked) int {
		return cmp.Or(cmp.Compare(a.count(), b.count()), strings.Compare(a.term, b.term))
	})
	counts := map[uint32]int{}
	read := 0
	for _, a := range f.terms[:min(len(f.terms), sharedLists)] {
		if a.count() > longList {
			break
		}
		read++
		count := func(ps []posting) {
			for _, p := range ps {
				counts[p.num]++
			}
		}
		if err := f.index.each(f.tx, a.term, a.head, count); err != nil {
			return nil, err
		}
		count(a.waiting)
	}
	nums := slices.Collect(maps.Keys(counts))
	nums = slices.DeleteFunc(nums, func(n uint32) bool { return 2*counts[n] < read })
	slices.SortFunc(nums, func(a, b uint32) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(b, a)) })
	for _, num := range nums[:min(len(nums), maxSharing)] {
		o, err := f.owner(num)
		if err != nil {
			return nil, err
		}
		ids = append(ids, o.ID)
	}
	return ids, nil
}
