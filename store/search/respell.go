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
	num     uint32 // of that text
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
	waiting := termsOf(f.waiting)
	unknown := f.unknownWords(loosely)
	if err := f.announceSimilar(unknown, waiting); err != nil {
		return err
	}
	for _, w := range unknown {
		own, err := f.similar(w, waiting)
		if err != nil {
			return err
		}
		term := f.query.Together.chosen(w, f.query.Respell, own)
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
		f.respelt = append(f.respelt, Respelt{Written: w.written, Term: term, num: found.first()})
	}
	return nil
}

// termsOf returns the terms of texts.
func termsOf(docs []Doc) map[string]bool {
	all := map[string]bool{}
	for _, d := range docs {
		for _, t := range d.Bag.Terms {
			all[t.Term] = true
		}
	}
	return all
}

// unknownWord is a word of a question that no text has.
type unknownWord struct {
	written, term string
	most          int // letters that may differ
}

func (f *finding) unknownWords(loosely bool) (all []unknownWord) {
	for _, t := range distinct(newReader(), f.query.Text) {
		w := unknownWord{f.query.Text[t.start:t.end], t.term, 0}
		w.most = allowed(w.written, loosely)
		if w.most > 0 && !t.common && !t.joined && isWord(t.term) && !f.has(t) {
			all = append(all, w)
		}
	}
	return all
}

// has reports whether texts of any index of the search have a token of the question, or
// a joined word that contains it.
func (f *finding) has(t token) bool {
	for _, o := range distinct(newReader(), f.query.Text) {
		if o.start > t.start || o.end < t.end {
			continue
		}
		has := func(a asked) bool { return a.term == o.term }
		if f.query.Together.has(o.term) || slices.ContainsFunc(f.terms, has) {
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

// beginnings returns the beginnings of the terms that are compared with a word: its
// first two letters, then the first one, which is usually right.
func (w unknownWord) beginnings() [2]string { return [2]string{beginning(w.term), w.term[:1]} }

func beginning(term string) string { return term[:min(2, len(term))] }

// similar returns the terms that are most similar to a word, if they are similar enough.
func (f *finding) similar(w unknownWord, waiting map[string]bool) (c similarTerms, err error) {
	for i, begin := range w.beginnings() {
		terms, err := f.termsFrom(begin, waiting)
		if err != nil {
			return c, err
		}
		near, distance := w.nearest(terms)
		if len(near) == 0 {
			continue
		}
		c = similarTerms{i, distance, map[string]int{}}
		for _, t := range near {
			a, err := f.termOf(t)
			if err != nil {
				return c, err
			}
			c.counts[t] = a.count()
		}
		break
	}
	return c, nil
}

// nearest returns the terms that differ from the word in the fewest letters, and their
// number; none if all differ in too many.
func (w unknownWord) nearest(terms []string) (all []string, distance int) {
	distance = w.most
	for _, t := range terms {
		d := nearest.Distance(w.term, t, distance)
		if d > distance || isCommon(t) || !isWord(t) {
			continue
		}
		if d < distance {
			all, distance = all[:0], d
		}
		all = append(all, t)
	}
	return all, distance
}

// headsFrom returns the range of the heads of terms with a beginning.
func headsFrom(x Index, begin string) kv.Range {
	return kv.Range{Prefix: x.headKey(begin), Limit: lookedAt, KeysOnly: true}
}

// termsFrom returns the terms with a beginning, sorted.
func (f *finding) termsFrom(begin string, waiting map[string]bool) (terms []string, err error) {
	for term := range waiting {
		if strings.HasPrefix(term, begin) {
			terms = append(terms, term)
		}
	}
	head := len(f.index.headKey(""))
	for item, err := range f.tx.Scan(headsFrom(f.index, begin)) {
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
