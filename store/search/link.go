package search

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"techo/internal/sorting"
	"techo/store/search/common"
)

// A name in the best hit that few texts have leads to those: a question about the
// user's dog finds "The user has a dog named Max", and through Max "The user got Max
// three years ago".
const (
	maxNamed   = 6   // texts with a name
	linkShare  = 0.5 // of the score of the best hit
	maxLinking = 2   // names of the best hit, the rarest first
)

// linked adds the texts that share a rare name with the best hit.
func (f *finding) linked(hits []Hit) ([]Hit, error) {
	if len(hits) == 0 || !hits[0].Matches {
		return hits, nil
	}
	best := hits[0]
	text, err := f.query.FullText(best.Owner)
	if err != nil {
		return nil, err
	}
	terms, err := f.rareNames(text)
	if err != nil {
		return nil, err
	}
	var nums []uint32
	for _, a := range terms {
		for _, p := range a.head.inline {
			if f.query.has(p.num) {
				nums = append(nums, p.num)
			}
		}
	}
	if err := f.readOwners(nums, 0); err != nil {
		return nil, err
	}
	for _, a := range terms {
		for _, p := range slices.Concat(a.head.inline, a.waiting) {
			if p.num == best.Num || !f.query.has(p.num) {
				continue
			}
			score := linkShare * best.Score
			if i := slices.IndexFunc(hits, func(h Hit) bool { return h.Num == p.num }); i >= 0 {
				hits[i].Score = max(hits[i].Score, score)
				continue
			}
			o, err := f.owner(p.num)
			if err != nil {
				return nil, err
			}
			hits = append(hits, Hit{Owner: o, Score: score, Shares: a.shown})
		}
	}
	slices.SortFunc(hits, newestBefore)
	return hits, nil
}

// rareName is a name with the texts that have it.
type rareName struct {
	asked
	shown string
}

// rareNames returns the names in a text that a few other texts have and the question
// lacks, the rarest first.
func (f *finding) rareNames(text string) (all []rareName, err error) {
	names := f.newNames(text)
	terms := make([]string, len(names))
	for i, n := range names {
		terms[i] = n.term
	}
	found, err := f.termsOf(terms)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if n := a.count(); n >= 2 && n <= maxNamed && n <= max(2, f.numbers.Texts/4) && len(a.head.firsts) == 0 {
			shown := names[slices.IndexFunc(names, func(n rareName) bool { return n.term == a.term })].shown
			all = append(all, rareName{a, shown})
		}
	}
	sorting.By(all, func(a, b rareName) int { return a.count() - b.count() })
	return all[:min(len(all), maxLinking)], nil
}

// newNames returns the names in a text that the question lacks.
func (f *finding) newNames(text string) (all []rareName) {
	r := newReader()
	r.wanted = func(_ []byte, start int) bool { return text[start] < 'a' || text[start] > 'z' }
	r.read(text, func(t token) {
		known := f.question.names[t.term] || slices.ContainsFunc(all, func(n rareName) bool { return n.term == t.term })
		if !known && !t.common && isName(text, t) {
			all = append(all, rareName{asked{term: t.term}, text[t.start:t.end]})
		}
	})
	return all
}

// isName reports whether a token looks like a name: a capitalized word inside a
// sentence, or a word in katakana.
func isName(text string, t token) bool {
	word := text[t.start:t.end]
	first, _ := utf8.DecodeRuneInString(word)
	if scriptOf(first) == katakana {
		return utf8.RuneCountInString(word) >= 3
	}
	if !unicode.IsUpper(first) || common.CalendarWord(t.term) {
		return false
	}
	for i := t.start; i > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if i -= size; unicode.IsSpace(r) && r != '\n' {
			continue
		}
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ',' || r == '\'' || r == '"'
	}
	return false
}
