package wording

import (
	"cmp"
	"slices"

	"techo/internal/meaning"
	"techo/store/search"
)

const (
	each = 8 // words that one text suggests at most

	// near is the likeness of a word that may be meant, at least. Words that have nothing to do with
	// each other are below.
	near = 0.3
)

// Suggest returns up to most words of texts that are like a question in meaning, the most alike first.
func Suggest(question string, texts []string, most int) (words []string) {
	asked, likeness := meaning.Vector(question), map[string]float32{}
	for _, text := range texts {
		for _, w := range search.Suggestions(text, each) {
			if _, known := likeness[w]; known {
				continue
			}
			vec := meaning.Vector(w)
			if likeness[w] = meaning.Likeness(&asked, &vec); likeness[w] >= near {
				words = append(words, w)
			}
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(likeness[b], likeness[a]) })
	return words[:min(len(words), most)]
}
