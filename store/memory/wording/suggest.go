package wording

import (
	"slices"
	"strings"

	"techo/store/search"
)

// each is the number of words that one caption suggests.
const each = 2

// Suggest returns up to most characteristic words of captions. If some are in the question's
// script, it leaves out the others.
func Suggest(question string, captions []string, most int) (words []string) {
	var others []string // in another script
	for _, caption := range captions {
		if len(words) >= most {
			break
		}
		for _, w := range search.Suggestions(caption, each) {
			switch {
			case slices.Contains(words, w) || slices.Contains(others, w) || !strings.ContainsFunc(w, isNoDigit):
			case search.SameScript(question, w):
				words = append(words, w)
			default:
				others = append(others, w)
			}
		}
	}
	if len(words) == 0 {
		words = others
	}
	return words[:min(len(words), most)]
}

func isNoDigit(r rune) bool { return r < '0' || r > '9' }
