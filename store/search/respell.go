package search

import (
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

// Respelt is a word of a question that no text has, and a similar term that was
// searched for instead.
type Respelt struct {
	Written string // the word as the question has it
	Term    string
	ID      string // a text with the term
}

// lookedAt is the number of terms that are compared with a misspelt one.
const lookedAt = 20000

// allowed returns the number of letters that may differ between a word and the one
// that replaces it: few, because an unknown word is often spelt correctly. Loosely
// is for a question that finds nothing as it is.
func allowed(word string, loosely bool) int {
	switch n := utf8.RuneCountInString(word); {
	case n >= 9, loosely && n >= 6:
		return 2
	case n >= 6, loosely && n >= 4:
		return 1
	}
	return 0
}

// respell adds similar terms for words of the question that no text has.
func (f *finding) respell(loosely bool) error {
	if f.numbers.Version < foldedVersion {
		return nil
	}
	waiting := map[string]bool{}
	for _, d := range f.waiting {
		for _, t := range d.Bag.Terms {
			waiting[t.Term] = true
		}
	}
	for _, t := range distinct(newReader(), f.query.Text) {
		written := f.query.Text[t.start:t.end]
		most := allowed(written, loosely)
		if most == 0 || t.common || t.joined || !isWord(t.term) || f.has(t) {
			continue
		}
		term, err := f.similar(t.term, most, waiting)
		if err != nil {
			return err
		}
		if term == "" {
			continue
		}
		found, err := f.termOf(term)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(f.terms, func(a asked) bool { return a.term == term }) || found.count() == 0 {
			continue
		}
		f.terms = append(f.terms, found)
		o, err := f.owner(found.first())
		if err != nil {
			return err
		}
		f.respelt = append(f.respelt, Respelt{written, term, o.ID})
	}
	return nil
}

// has reports whether texts have a token of the question, or a joined word that
// contains it.
func (f *finding) has(t token) bool {
	for _, o := range distinct(newReader(), f.query.Text) {
		if o.start > t.start || o.end < t.end {
			continue
		}
		if slices.ContainsFunc(f.terms, func(a asked) bool { return a.term == o.term }) {
			return true
		}
	}
	return false
}

// isWord reports whether a term is a word of Latin letters.
func isWord(term string) bool {
	for i := range len(term) {
		if term[i] < 'a' || term[i] > 'z' {
			return false
		}
	}
	return true
}

// termOf returns a term with its postings.
func (f *finding) termOf(term string) (a asked, err error) {
	a.term = term
	for _, d := range f.waiting {
		if n := d.Bag.count(term); n > 0 {
			a.waiting = append(a.waiting, posting{d.Num, n, roundLength(d.Bag.Length)})
		}
	}
	a.head, err = f.index.loadHead(f.tx, term)
	return a, err
}

// first returns the first text that has the term.
func (a *asked) first() uint32 {
	switch {
	case len(a.head.firsts) > 0:
		return a.head.firsts[0]
	case len(a.head.inline) > 0:
		return a.head.inline[0].num
	}
	return a.waiting[0].num
}

// similar returns the most similar term, "" if none differs in at most most letters.
// The first letter is usually right, so that terms with the first two are compared
// first, then those with the first one. Of equally similar terms the most frequent
// wins.
func (f *finding) similar(term string, most int, waiting map[string]bool) (string, error) {
	for _, begin := range []string{term[:min(2, len(term))], term[:1]} {
		terms, err := f.termsFrom(begin, waiting)
		if err != nil {
			return "", err
		}
		best, distance, count := "", most+1, 0
		for _, t := range terms {
			d := nearest.Distance(term, t, distance)
			if d > most || d > distance || isCommon(t) || !isWord(t) {
				continue
			}
			a, err := f.termOf(t)
			if err != nil {
				return "", err
			}
			if d < distance || a.count() > count {
				best, distance, count = t, d, a.count()
			}
		}
		if best != "" {
			return best, nil
		}
	}
	return "", nil
}

// termsFrom returns the terms with a beginning, sorted.
func (f *finding) termsFrom(begin string, waiting map[string]bool) (terms []string, err error) {
	for term := range waiting {
		if strings.HasPrefix(term, begin) {
			terms = append(terms, term)
		}
	}
	head := len(f.index.headKey(""))
	for item, err := range f.tx.Scan(kv.Range{Prefix: f.index.headKey(begin)}) {
		if err != nil {
			return nil, err
		}
		if terms = append(terms, string(item.Key[head:])); len(terms) >= lookedAt {
			break
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms), nil
}
