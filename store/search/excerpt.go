package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/sorting"
	"techo/store/search/speech"
)

// Excerpts finds the parts of texts that match a question.
type Excerpts struct {
	question string
	terms    map[string]bool
	kana     map[string]bool // common terms that count in texts without others
	begins   [256]bool       // whether terms begin with a byte; a stem begins as its word does
	reader   *reader

	inKana, short []spelling          // words of the question in kana, and its abbreviations
	instead       map[string]spelling // by the terms of other spellings

	last matches
}

// matches are the tokens of a text that match the question.
type matches struct {
	text        string
	found, kana []token
}

// NewExcerpts returns the Excerpts of a question.
func NewExcerpts(question string) *Excerpts {
	e := &Excerpts{question: question, terms: map[string]bool{}, kana: map[string]bool{}, reader: newReader(),
		instead: map[string]spelling{}}
	q := readQuestion(e.reader, question)
	for _, a := range q.terms {
		if a.spelt {
			continue
		}
		if !a.common {
			e.add(a.term)
		} else if a.kana {
			e.kana[a.term] = true
		}
	}
	e.spell(q.spelt, q.tokens)
	return e
}

func (e *Excerpts) add(term string) {
	e.terms[term] = true
	e.begins[term[0]] = true
}

// Add adds a word that was searched for in place of one of the question.
func (e *Excerpts) Add(word string) {
	for _, t := range distinct(e.reader, word) {
		e.add(t.term)
	}
	e.question += " " + word
	e.last = matches{}
}

// in returns the tokens of a text that match the question.
func (e *Excerpts) in(text string) []token {
	m := e.read(text)
	if len(m.found) == 0 {
		return m.kana
	}
	return m.found
}

func (e *Excerpts) read(text string) matches {
	if text == e.last.text {
		return e.last
	}
	m := matches{text: text}
	e.reader.wanted = func(written []byte, _ int) bool { return e.begins[written[0]] }
	e.reader.read(text, func(t token) {
		if e.terms[t.term] {
			m.found = append(m.found, t)
		} else if e.kana[t.term] {
			m.kana = append(m.kana, t)
		} else if s, ok := e.long(text[t.start:t.end]); ok {
			e.instead[t.term] = s
			m.found = append(m.found, t)
		}
	})
	e.reader.wanted = nil
	e.spelt(&m)
	e.last = m
	return m
}

// Matched returns the words of the question that occur in some texts, as written in
// the question, without duplicates.
func (e *Excerpts) Matched(texts ...string) []string {
	there, kana := map[string]bool{}, map[string]bool{}
	for _, text := range texts {
		m := e.read(text)
		for _, t := range m.found {
			there[t.term] = true
		}
		for _, t := range m.kana {
			kana[t.term] = true
		}
	}
	if len(there) == 0 {
		there = kana
	}
	var spans []token
	e.reader.read(e.question, func(t token) {
		if there[t.term] {
			spans = append(spans, t)
		}
	})
	for term := range there {
		if s, ok := e.instead[term]; ok {
			spans = append(spans, token{start: s.start, end: s.end})
		}
	}
	// Overlapping bigrams form one word.
	words := []string{}
	sorting.By(spans, func(a, b token) int { return cmp.Compare(a.start, b.start) })
	for i := 0; i < len(spans); {
		start, end := spans[i].start, spans[i].end
		for i++; i < len(spans) && spans[i].start < end; i++ {
			end = max(end, spans[i].end)
		}
		if w := e.question[start:end]; !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

const (
	snippetBytes = 240
	snippetLead  = 40 // bytes shown before the first match
)

// Snippet returns the part of a text with the most distinct terms of the question,
// as one line. Without a match it returns the beginning.
func (e *Excerpts) Snippet(text string) string {
	found := e.in(text)
	best, start := 0, 0
	inside := map[string]int{}
	for first, last := 0, 0; last < len(found); last++ {
		inside[found[last].term]++
		for first < last && found[last].end-found[first].start > snippetBytes-snippetLead {
			if inside[found[first].term]--; inside[found[first].term] == 0 {
				delete(inside, found[first].term)
			}
			first++
		}
		if len(inside) > best {
			best, start = len(inside), found[first].start
		}
	}
	return cutOut(text, start)
}

// cutOut returns a window of a text that includes the offset start.
func cutOut(text string, start int) string {
	from := max(0, start-snippetLead)
	to := min(len(text), from+snippetBytes)
	if to == len(text) {
		from = max(0, to-snippetBytes)
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	// Start at a word boundary if the script has blanks.
	if i := strings.IndexAny(text[from:max(start, from)], " \n"); from > 0 && i >= 0 {
		from += i + 1
	}
	if i := strings.LastIndexAny(text[from:to], " \n"); to < len(text) && i > (to-from)*3/4 {
		to = from + i
	}
	line := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}

// Passage is a line of a text.
type Passage struct {
	Line int // line number, from 1
	Text string
}

// Passages returns up to most lines of a text with the most distinct terms of the
// question, in the order of the text. Long lines are shortened.
func (e *Excerpts) Passages(text string, most int) (best []Passage) {
	score := map[int]int{}
	for i, line := range strings.Split(text, "\n") {
		there := map[string]bool{}
		for _, t := range e.in(line) {
			there[t.term] = true
		}
		if len(there) == 0 {
			continue
		}
		score[i+1] = len(there)
		line = strings.TrimSpace(line)
		if len(line) > 2*snippetBytes {
			line = e.Snippet(line)
		}
		best = append(best, Passage{i + 1, line})
	}
	sorting.By(best, func(a, b Passage) int { return score[b.Line] - score[a.Line] })
	best = best[:min(most, len(best))]
	sorting.By(best, func(a, b Passage) int { return a.Line - b.Line })
	return best
}

// Keywords returns up to most informative words of a text, as written and in order.
func Keywords(text string, most int) []string {
	return keywords(text, most, func(t token) int { return t.end })
}

// Suggestions is Keywords without the stems of Japanese verbs and adjectives at the end of a
// word: 二匹 of 二匹飼っている.
func Suggestions(text string, most int) []string {
	return keywords(text, most, func(t token) int {
		last, size := utf8.DecodeLastRuneInString(text[t.start:t.end])
		if scriptOf(last) == han && speech.Inflects(text[t.end:]) {
			return t.end - size
		}
		return t.end
	})
}

// keywords returns up to most informative words of a text. end returns the end of a word.
func keywords(text string, most int, end func(token) int) (words []string) {
	var all []token
	newReader().read(text, func(t token) {
		t.end = end(t)
		w := text[t.start:t.end]
		if !t.common && utf8.RuneCountInString(w) > 1 &&
			!strings.ContainsFunc(w, func(r rune) bool { return scriptOf(r) == hiragana }) {
			all = append(all, t)
		}
	})
	// Of overlapping terms, keep the first and longest.
	sorting.By(all,
		func(a, b token) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	last := 0
	for _, t := range all {
		if w := text[t.start:t.end]; t.start >= last && len(words) < most {
			last = t.end
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// Written returns a term as a text spells it, or "" if the text lacks it.
func Written(text, term string) (written string) {
	newReader().read(text, func(t token) {
		if written == "" && t.term == term {
			written = text[t.start:t.end]
		}
	})
	return written
}
