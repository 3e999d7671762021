package search

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"techo/store/search/common"
)

// A name in the best hit that few texts have leads to those: a question about the
// user's dog finds "The user has a dog named Max", and through Max "The user got Max
// three years ago".
const (
	maxNamed   = 6   // texts with a name
	linkShare  = 0.1 // of the odds of the best hit
	maxLinking = 2   // names of the best hit, the rarest first
)

// rareName is a name with the number of texts that have it.
type rareName struct {
	term, shown string
	count       int
}

// named returns the names in the text of the best hit that the question lacks, as the text has them.
func (t *together) named(hits []Hit) (map[string]string, error) {
	best := hits[0]
	f := t.all[slices.IndexFunc(t.all, func(f *finding) bool { return f.part == best.Part })]
	if f.query.FullText == nil {
		return nil, nil
	}
	var others []Owner
	for _, h := range hits[1:min(max(f.query.Limit, 1), len(hits))] {
		if h.Part == best.Part {
			others = append(others, h.Owner)
		}
	}
	for _, r := range f.respelt {
		others = append(others, Owner{ID: r.ID})
	}
	text, err := f.query.FullText(best.Owner, others)
	return f.newNames(text), err
}

// link adds the texts with names to hits. lists are those of the names in texts of the index.
func (f *finding) link(hits []Hit, best Hit, names []rareName, lists []asked) ([]Hit, error) {
	shown := map[uint32]string{}
	var nums []uint32
	for _, name := range names {
		for _, a := range lists {
			for _, p := range slices.Concat(a.head.inline, a.waiting) {
				if a.term == name.term && shown[p.num] == "" && f.query.has(p.num) && !(f.part == best.Part && p.num == best.Num) {
					shown[p.num] = name.shown
					nums = append(nums, p.num)
				}
			}
		}
	}
	if err := f.readOwners(nums, 0); err != nil {
		return nil, err
	}
	for _, num := range nums {
		score := linkShare * best.Score
		if i := slices.IndexFunc(hits, func(h Hit) bool { return h.Part == f.part && h.Num == num }); i >= 0 {
			if hits[i].Score = max(hits[i].Score, score); hits[i].Matches {
				hits[i].Shares = shown[num] // its own words may turn out to say nothing
			}
			continue
		}
		o, err := f.owner(num)
		if err != nil {
			return nil, err
		}
		hits = append(hits, Hit{Owner: o, Part: f.part, Score: score, Shares: shown[num]})
	}
	return hits, nil
}

// newNames returns the names in a text that the question lacks.
func (f *finding) newNames(text string) map[string]string {
	all, r := map[string]string{}, newReader()
	r.wanted = func(_ []byte, start int) bool { return text[start] < 'a' || text[start] > 'z' }
	r.read(text, func(t token) {
		if all[t.term] == "" && !f.question.names[t.term] && !t.common && isName(text, t) {
			all[t.term] = text[t.start:t.end]
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
