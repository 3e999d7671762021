// Package wording reads the words of memories: their captions and sentences, and what questions share with
// them.
package wording

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/meaning"
	"techo/store/search"
)

// Question finds texts that have the words of a Japanese question only across the borders of
// their own words, as 東京都庁 has 京都, or only a character of them, as 本番 has one of 本人; and those that have a name in
// Latin letters only as pairs of kana that are apart.
type Question struct {
	Text     string
	Respelt  bool // other words were searched for in place of some
	excerpts *search.Excerpts
	alone    []rune // kanji that stand in no longer word of the question
}

// meansIt is the likeness of a memory to a question, of which a character says something: 住んでいる
// is about 住所.
const meansIt = 0.23

// Crossed reports whether the texts of a memory have all words of the question in this way. Its
// meaning has a likeness to the question's.
func (q *Question) Crossed(likeness float32, of func() []string) bool {
	if q.excerpts == nil {
		q.excerpts = search.NewExcerpts(q.Text)
		q.alone = alone(q.Text)
	}
	if !strings.ContainsFunc(q.Text, compound) { // tanaka is looked for by its pairs たな and なか
		return !q.Respelt && q.excerpts.Spells() && likeness < meansIt && len(q.excerpts.Matched(of()...)) == 0
	}
	texts := of()
	words := q.excerpts.Matched(texts...)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		if one, size := utf8.DecodeRuneInString(w); size == len(w) {
			return simple(one) || likeness >= meansIt || slices.Contains(q.alone, one)
		}
		return strings.ContainsFunc(w, simple) || whole(w, texts)
	})
}

// alone returns the characters of a text that stand in no word of several kanji, as far as the table
// knows.
func alone(text string) (all []rune) {
	for _, word := range meaning.Segments(text) {
		if utf8.RuneCountInString(word) == 1 || strings.ContainsFunc(word, simple) {
			all = append(all, []rune(word)...)
		}
	}
	return all
}

// whole reports whether texts have a word other than across borders, or in another spelling.
func whole(w string, texts []string) bool {
	there := func(text string) bool { return strings.Contains(text, w) }
	has := func(text string) bool { return meaning.HasWord(text, w) }
	return !slices.ContainsFunc(texts, there) || slices.ContainsFunc(texts, has)
}

// compound reports whether a character may be of a Japanese compound.
func compound(r rune) bool { return unicode.In(r, unicode.Han, unicode.Katakana) || r == 'ー' }

func simple(r rune) bool { return !compound(r) }
