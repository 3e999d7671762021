package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/romaji"
	"techo/internal/sorting"
	"techo/internal/stem"
	"techo/store/search/common"
)

// # Other spellings
//
// A question also looks for what its words may be spelt like, since texts have one spelling only:
//
//	a name in kana by its Latin letters, and the other way round: たなか, タナカ, tanaka
//	a long word by its abbreviation, and the other way round: kubernetes, k8s
//
// Old forms of characters need nothing of this: they are folded, as 渡邊 into 渡辺.
const (
	mostSpellings = 8 // words of a question that are spelt in another way
	leastKana     = 3 // kana of a word in Latin letters that is looked for in kana: shorter ones are in many words
	leastLong     = 6 // letters of a word that is abbreviated so
)

// spelling is another spelling of a word of a question.
type spelling struct {
	written    string // folded: a Latin word or kana
	kana       bool
	start, end int // the word, in the question
}

// spellings returns other spellings of the words of a text.
func spellings(text string, tokens []token) (all []spelling) {
	for _, t := range tokens {
		word := text[t.start:t.end]
		if t.common || t.joined || !isWord(strings.ToLower(word)) || len(all) >= mostSpellings {
			continue
		}
		for _, kana := range romaji.Kana(word) {
			if utf8.RuneCountInString(kana) >= leastKana {
				all = append(all, spelling{kana, true, t.start, t.end})
			}
		}
		if n := len(word); n >= leastLong && n < 100 {
			short := []byte{word[0] | ' '}
			if n >= 12 {
				short = append(short, '0'+byte((n-2)/10))
			}
			short = append(short, '0'+byte((n-2)%10), word[n-1]|' ')
			all = append(all, spelling{string(short), false, t.start, t.end})
		}
	}
	for start := 0; start < len(text) && len(all) < mostSpellings; {
		end := start
		for end < len(text) && kanaAt(text[end:]) != separator {
			end += len("あ")
		}
		if end == start {
			_, n := utf8.DecodeRuneInString(text[start:])
			start += n
			continue
		}
		all = append(all, inLatin(text[start:end], start)...)
		start = end
	}
	return all
}

// inLatin returns the spellings in Latin letters of a name at the beginning of a run of kana at a place of a question.
func inLatin(run string, at int) (all []spelling) {
	for _, end := range nameEnds(run) {
		for _, latin := range romaji.Spellings(hiraganaOf(run[:end])) {
			all = append(all, spelling{latin, false, at, at + end})
		}
	}
	return all
}

// LatinStems returns the stems of what a name at the beginning of a run of kana may be in Latin letters.
func LatinStems(run string) (stems []string) {
	for _, s := range inLatin(run, 0) {
		stems = append(stems, stem.Of(s.written))
	}
	return stems
}

// kanaAt returns the script at the beginning of a text if it is kana, else separator.
func kanaAt(text string) script {
	r, _ := utf8.DecodeRuneInString(text)
	if kind := scriptOf(r); kind == hiragana || kind == katakana {
		return kind
	}
	return separator
}

// hiraganaOf returns hiragana for katakana, of which each has as many bytes.
func hiraganaOf(text string) string {
	return strings.Map(func(r rune) rune {
		if scriptOf(r) == katakana {
			return foldRune(r)
		}
		return r
	}, text)
}

// nameEnds returns where a name at the beginning of a run of kana may end: with its katakana, or before what follows
// names in a sentence.
func nameEnds(run string) (ends []int) {
	const most, longest = 3, 8 // names, and their kana
	if kanaAt(run) == katakana {
		end := 0
		for end < len(run) && kanaAt(run[end:]) == katakana {
			end += len("あ")
		}
		run = run[:end]
	}
	if len(run) <= longest*len("あ") && !common.Pair(hiraganaOf(run)) && len(run) > len("あ") {
		ends = append(ends, len(run))
	}
	if kanaAt(run) == katakana {
		return ends
	}
	for end := 2 * len("あ"); end < len(run) && end <= longest*len("あ") && len(ends) < most; end += len("あ") {
		follows := func(what string) bool { return strings.HasPrefix(run[end:], what) }
		if slices.ContainsFunc([]string{"さん", "くん", "ちゃん", "さま", "せんせい", "は", "が", "の", "を", "に", "へ", "と", "も", "で",
			"や", "から", "まで", "って"}, follows) && !common.Pair(run[:end]) {
			ends = append(ends, end)
		}
	}
	return ends
}

// terms returns the terms by which an index finds a spelling. Kana are found by their pairs, and where they stand apart
// as a whole.
func (s spelling) terms() (all []asked) {
	if !s.kana {
		return []asked{{term: stem.Of(s.written), joined: true}}
	}
	all = append(all, asked{term: s.written, joined: true})
	runes := []rune(s.written)
	for i := range len(runes) - 1 {
		pair := string(runes[i : i+2])
		all = append(all, asked{term: pair, common: true, kana: true, joined: true})
	}
	return all
}

// # Abbreviations
//
// k8s stands for a word of ten letters from k to s. Terms are stems, so a term stands for such a word if it is one with
// some ending.

// abbreviated returns the letters and the length of the word that a word stands for; 0 for another one.
func abbreviated(word string) (first, last byte, length int) {
	if len(word) < 3 || len(word) > 4 {
		return 0, 0, 0
	}
	for _, c := range []byte(word[1 : len(word)-1]) {
		if !isDigit(c) {
			return 0, 0, 0
		}
		length = 10*length + int(c-'0')
	}
	first, last = word[0]|' ', word[len(word)-1]|' '
	if length += 2; !isLower(first) || !isLower(last) || length < leastLong || word[1] == '0' {
		return 0, 0, 0
	}
	return first, last, length
}

// longForms adds the words that abbreviations of the question stand for.
func (f *finding) longForms() error {
	for _, t := range f.question.tokens {
		first, last, length := abbreviated(f.query.Text[t.start:t.end])
		if length == 0 {
			continue
		}
		w := unknownWord{term: string(first)}
		known, err := f.beginningsOf([]unknownWord{w}, []similarTerms{{}}, 1)
		if err != nil {
			return err
		}
		var terms []string
		for _, term := range known[string(first)] {
			if isWord(term) && stemOf(term, last, length) {
				terms = append(terms, term)
			}
		}
		found, err := f.termsOf(terms)
		if err != nil {
			return err
		}
		for _, a := range found {
			a.joined = true
			f.alsoAsk(a)
		}
	}
	return nil
}

// stemOf reports whether a word of a length with a last letter may have a stem.
func stemOf(term string, last byte, length int) bool {
	if len(term) == length && term[length-1] == last {
		return true
	}
	return slices.ContainsFunc([]string{"s", "es", "e", "ed", "er", "ing", "ly", "y", "ion", "ity", "ation", "ization", "ability",
		"bility", "ility", "al", "ment", "ness"}, func(ending string) bool {
		return len(term)+len(ending) == length && ending[len(ending)-1] == last && stem.Of(term+ending) == term
	})
}

// # Excerpts

// spell notes other spellings of the words of the question.
func (e *Excerpts) spell(all []spelling, tokens []token) {
	for _, s := range all {
		if s.kana {
			e.inKana = append(e.inKana, s)
			continue
		}
		term := stem.Of(s.written)
		if term != "" && !e.terms[term] {
			e.add(term)
			e.instead[term] = s
		}
	}
	for _, t := range tokens {
		word := e.question[t.start:t.end]
		if first, _, length := abbreviated(word); length > 0 {
			e.short = append(e.short, spelling{written: word, start: t.start, end: t.end})
			e.begins[first] = true
		}
	}
}

// Spells reports whether a word of the question is looked for in kana, too.
func (e *Excerpts) Spells() bool { return len(e.inKana) > 0 }

// spelt adds to the matches of a text the words that other spellings of the question have in it.
func (e *Excerpts) spelt(m *matches) {
	if len(e.inKana) == 0 {
		return
	}
	folded := ""
	for _, s := range e.inKana {
		if folded == "" {
			folded = hiraganaOf(m.text)
		}
		if at := strings.Index(folded, s.written); at >= 0 && len(folded) == len(m.text) {
			m.found = append(m.found, token{term: s.written, start: at, end: at + len(s.written)})
			e.instead[s.written] = s
		}
	}
	sorting.By(m.found, func(a, b token) int { return cmp.Compare(a.start, b.start) })
}

// long returns the abbreviation of the question for which a word stands.
func (e *Excerpts) long(word string) (s spelling, ok bool) {
	for _, s := range e.short {
		first, last, length := abbreviated(s.written)
		if len(word) == length && word[0]|' ' == first && word[length-1]|' ' == last && isWord(strings.ToLower(word)) {
			return s, true
		}
	}
	return s, false
}
