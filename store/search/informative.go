package search

import (
	"sort"
	"strings"
)

// Informative reports whether a word in lower case is no English function word.
func Informative(word string) bool {
	word, _, _ = strings.Cut(word, "'")
	return len(word) > 1 && !isCommon(word)
}

// Has reports whether the bag contains a term.
func (b Bag) Has(term string) bool {
	i := sort.Search(len(b.Terms), func(i int) bool { return b.Terms[i].Term >= term })
	return i < len(b.Terms) && b.Terms[i].Term == term
}
