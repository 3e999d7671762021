package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/nearest"
	"techo/store/kv"
)

// Next returns the number of the next text.
func (x Index) Next(tx kv.Tx) (uint32, error) {
	n, err := x.numbers(tx)
	return n.Next, err
}

// Nearby is a similar term and a text that contains it.
type Nearby struct {
	Term string
	ID   string
}

// lookedAt is the number of terms that are compared with a misspelt one.
const lookedAt = 20000

// Near returns terms of the index that are similar to terms of a question.
func (x Index) Near(tx kv.Tx, question string) (near []Nearby, err error) {
	f := &finding{Index: x, tx: tx}
	if f.numbers, err = x.numbers(tx); err != nil || f.numbers.Texts == 0 {
		return nil, err
	}
	waiting := map[string]uint32{}
	err = x.waiting(tx, func(d Doc) error {
		f.waiting = append(f.waiting, d)
		for _, t := range d.Bag.Terms {
			waiting[t.Term] = d.Num
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, asked := range questionTerms(question) {
		terms, err := x.termsLike(tx, asked, waiting)
		if err != nil {
			return nil, err
		}
		for _, term := range terms {
			num, ok := waiting[term]
			if !ok {
				h, err := x.loadHead(tx, texts, term)
				if err != nil {
					return nil, err
				}
				switch {
				case len(h.firsts) > 0:
					num = h.firsts[0]
				case len(h.inline) > 0:
					num = h.inline[0].num
				default:
					continue
				}
			}
			o, err := f.owner(num)
			if err != nil {
				return nil, err
			}
			near = append(near, Nearby{term, o.id})
		}
	}
	return near[:min(len(near), 8)], nil
}

// termsLike returns a few terms similar to the asked one, among those with the
// same prefix or else among the first.
func (x Index) termsLike(tx kv.Tx, asked string, waiting map[string]uint32) ([]string, error) {
	_, size := utf8.DecodeRuneInString(asked)
	for _, begin := range []string{asked[:size], ""} {
		var terms []string
		for term := range waiting {
			if strings.HasPrefix(term, begin) {
				terms = append(terms, term)
			}
		}
		prefix := x.headKey(texts, begin)
		head := len(x.headKey(texts, ""))
		for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
			if err != nil {
				return nil, err
			}
			if terms = append(terms, string(item.Key[head:])); len(terms) >= lookedAt {
				break
			}
		}
		slices.Sort(terms)
		terms = slices.DeleteFunc(slices.Compact(terms), isCommon)
		if near := nearest.Of(asked, terms); len(near) > 0 {
			return near[:min(len(near), 3)], nil
		}
		if len(asked) > size && asked[0] >= utf8.RuneSelf && len(terms) > 0 && begin != "" {
			return terms[:min(len(terms), 3)], nil // bigrams with the same first character
		}
	}
	return nil, nil
}

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
	f := &finding{Index: x, tx: tx}
	if f.numbers, err = x.numbers(tx); err != nil || f.numbers.Texts == 0 {
		return nil, err
	}
	at := map[string]int{}
	for i, t := range terms {
		at[t.Term] = i
		f.terms = append(f.terms, asked{term: t.Term})
	}
	err = x.waiting(tx, func(d Doc) error {
		f.waiting = append(f.waiting, d)
		for _, t := range d.Bag.Terms {
			if i, ok := at[t.Term]; ok {
				f.terms[i].waiting = append(f.terms[i].waiting, posting{d.Num, t.N})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range f.terms {
		if f.terms[i].head, err = x.loadHead(tx, texts, f.terms[i].term); err != nil {
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
		if err := f.each(f.tx, texts, a.term, a.head, count); err != nil {
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
		ids = append(ids, o.id)
	}
	return ids, nil
}
