package search

import (
	"slices"
	"strings"

	"techo/internal/identifier"
	"techo/store/search/common"
	"techo/store/search/speech"
)

// question is a query as the index sees it.
type question struct {
	terms  []asked
	names  map[string]bool // terms that may be the name of a speaker
	spelt  []spelling      // other spellings of its words
	tokens []token
	when   bool // it asks for a time
}

// asked is a term of a question with its statistics.
type asked struct {
	term    string
	common  bool
	kana    bool // common, but two such terms make a text a hit
	code    bool // an identifier, such as getUser, OPS-2217 or 3f2a9bc
	joined  bool // of words that the question separates, or that it spells in another way
	spelt   bool // the latter
	head    head
	waiting []posting
	weight  float64   // idf × (k1+1), reduced for common terms
	most    float64   // upper bound of its score in a text
	once    []float64 // its score in a text that has it once, by the length of the text; nil for short lists
	leads   bool      // it counts in the context of a text as well
	blocks  [][]byte  // encoded blocks that were read
}

func (a *asked) count() int { return a.head.count + len(a.waiting) }

// distinct returns one token for each term of a text. A term is common only if all
// its occurrences are.
func distinct(r *reader, text string) (all []token) {
	at := map[string]int{}
	r.read(text, func(t token) {
		i, ok := at[t.term]
		if !ok {
			at[t.term] = len(all)
			all = append(all, t)
			return
		}
		all[i].common = all[i].common && t.common
	})
	return all
}

// readQuestion returns the terms of a question. Common terms count in full if it has
// no others. Neighbouring words are also looked up as one: foot ball, football.
func readQuestion(r *reader, text string) (q question) {
	all := distinct(r, text)
	rare := slices.ContainsFunc(all, func(t token) bool { return !t.common })
	q.names = map[string]bool{}
	for i, t := range all {
		if !q.names[t.term] {
			common := t.common && rare
			q.terms = append(q.terms, asked{term: t.term, common: common, kana: common && isKana(t.term),
				code: isCode(t, text[t.start:t.end])})
		}
		q.names[t.term] = true
		if i > 0 {
			if joined, ok := joinedWords(text, all[i-1], t); ok && !q.names[joined] {
				q.names[joined] = true
				q.terms = append(q.terms, asked{term: joined, joined: true})
			}
		}
	}
	q.tokens = all
	q.spelt = spellings(text, all)
	for _, s := range q.spelt {
		for _, a := range s.terms() {
			if !q.names[a.term] {
				q.names[a.term] = true
				a.spelt = true
				q.terms = append(q.terms, a)
			}
		}
	}
	q.when = speech.AsksWhen(text)
	return q
}

// isCode reports whether a token is an identifier: it is written by rule, or is of words with a number that signs join.
func isCode(t token, written string) bool {
	return t.joined && strings.ContainsAny(written, "0123456789") || !t.common && identifier.In(written)
}

// isKana reports whether a term is a pair of hiragana that is not grammar.
func isKana(term string) bool {
	return len(term) == 2*len("あ") && scriptOf([]rune(term)[0]) == hiragana && !common.Pair(term)
}

// joinedWords returns the term of two words that a blank separates.
func joinedWords(text string, a, b token) (term string, ok bool) {
	if a.common || b.common || a.joined || b.joined || a.end+1 != b.start || text[a.end] != ' ' {
		return "", false
	}
	together := newReader()
	together.read(text[a.start:a.end]+text[b.start:b.end], func(t token) {
		if t.start == 0 && t.end == a.end-a.start+b.end-b.start {
			term, ok = t.term, true
		}
	})
	return term, ok
}

// Terms returns the terms of a text that are not common, each once.
func Terms(text string) (terms []string) {
	for _, t := range distinct(newReader(), text) {
		if !t.common {
			terms = append(terms, t.term)
		}
	}
	return terms
}
