// Package wording compares the words of questions and memories.
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
// their own words, as 東京都庁 has 京都.
type Question struct {
	Text     string
	excerpts *search.Excerpts
}

// Crossed reports whether the texts of a memory have all words of the question in this way.
func (q *Question) Crossed(of func() []string) bool {
	if !strings.ContainsFunc(q.Text, compound) {
		return false
	}
	if q.excerpts == nil {
		q.excerpts = search.NewExcerpts(q.Text)
	}
	texts := of()
	words := q.excerpts.Matched(texts...)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		return utf8.RuneCountInString(w) < 2 || strings.ContainsFunc(w, simple) || whole(w, texts)
	})
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
