package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/meaning"
	"techo/internal/nearest"
	"techo/internal/romaji"
	"techo/store/kv"
	"techo/store/search/common"
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
	Part    int    // of the search, which has the text
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

// # Words that no text has
//
// A word that is spelt correctly is not replaced, only because no text has it: play by plan,
// Hanako by Hanada. The table of meanings knows words and names; a name of Japanese
// syllables, which it may lack, is not replaced by another one.

// unknownWord is a word of a question that no text has.
type unknownWord struct {
	written, term string
	most          int  // letters that may differ
	isName        bool // it looks like a Japanese name
}

func (f *finding) unknownWords(loosely bool) (all []unknownWord) {
	tokens := distinct(newReader(), f.query.Text)
	for _, t := range tokens {
		w := unknownWord{written: f.query.Text[t.start:t.end], term: t.term}
		w.most = allowed(w.written, loosely)
		w.isName = unicode.IsUpper(rune(w.written[0])) && romaji.Is(w.written)
		if w.most > 0 && !t.common && !t.joined && isWord(t.term) && !f.has(t, tokens) && !meaning.Known(w.written) {
			all = append(all, w)
		}
	}
	return all
}

// has reports whether texts of any index of the search have a token of the question, or
// a joined word that contains it.
func (f *finding) has(t token, tokens []token) bool {
	return slices.ContainsFunc(tokens, func(o token) bool {
		return o.start <= t.start && o.end >= t.end && f.together.counts[o.term] > 0
	})
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
func (w unknownWord) beginnings() [2]string {
	return [2]string{w.term[:min(2, len(w.term))], w.term[:1]}
}

// similar returns for each of some words the terms that are most similar, if they are similar
// enough, and these terms with their lists.
func (f *finding) similar(unknown []unknownWord) (all []similarTerms, lists map[string]asked, err error) {
	all = make([]similarTerms, len(unknown))
	var near []string
	for n := range 2 {
		terms, err := f.beginningsOf(unknown, all, n)
		if err != nil {
			return nil, nil, err
		}
		for i, w := range unknown {
			if all[i].counts != nil {
				continue
			}
			if similar, distance := w.nearest(terms[w.beginnings()[n]]); len(similar) > 0 {
				all[i] = similarTerms{n, distance, map[string]int{}}
				for _, t := range similar {
					all[i].counts[t] = 0
				}
				near = append(near, similar...)
			}
		}
	}
	slices.Sort(near)
	found, err := f.termsOf(slices.Compact(near))
	lists = map[string]asked{}
	for _, a := range found {
		lists[a.term] = a
	}
	for _, s := range all {
		for t := range s.counts {
			a := lists[t]
			s.counts[t] = a.count()
		}
	}
	return all, lists, err
}

// beginningsOf returns the terms with the n-th beginning of the words for which no similar ones
// are known yet, sorted, by that beginning.
func (f *finding) beginningsOf(unknown []unknownWord, known []similarTerms, n int) (map[string][]string, error) {
	terms := map[string][]string{}
	var all []string
	var ranges []kv.Range
	for i, w := range unknown {
		begin := w.beginnings()[n]
		if _, there := terms[begin]; !there && known[i].counts == nil {
			terms[begin] = nil
			all = append(all, begin)
			ranges = append(ranges, kv.Range{Prefix: f.index.headKey(begin), Limit: lookedAt, KeysOnly: true})
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	_, items, err := f.tx.ReadMany(nil, ranges)
	if err != nil {
		return nil, err
	}
	head := len(f.index.headKey(""))
	for i, begin := range all {
		of := make([]string, len(items[i]))
		for k, item := range items[i] {
			of[k] = string(item.Key[head:])
		}
		for _, d := range f.waiting {
			for _, t := range d.Bag.Terms {
				if strings.HasPrefix(t.Term, begin) {
					of = append(of, t.Term)
				}
			}
		}
		slices.Sort(of)
		terms[begin] = slices.Compact(of)
	}
	return terms, nil
}

// nearest returns the terms that differ from the word in the fewest letters, and their
// number; none if all differ in too many.
func (w unknownWord) nearest(terms []string) (all []string, distance int) {
	distance = w.most
	for _, t := range terms {
		d := nearest.Distance(w.term, t, distance)
		if d > distance || common.Word(t) || !isWord(t) || w.isName && romaji.Is(t) {
			continue
		}
		if d < distance {
			all, distance = all[:0], d
		}
		all = append(all, t)
	}
	return all, distance
}
