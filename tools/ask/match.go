package ask

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
)

// abbreviations are the words that a person types for "yes" and for "no".
var abbreviations = [][]string{{"y", "yes", "はい"}, {"n", "no", "いいえ"}}

// matcher finds the option that a text stands for.
type matcher struct {
	folded []string
	exact  map[string]int // by text
	alike  map[string]int // by folded text and by abbreviation; several if not unique
}

// several is the index of a text that several options have.
const several = -2

func newMatcher(options []string) matcher {
	m := matcher{make([]string, len(options)), make(map[string]int, len(options)), make(map[string]int, len(options))}
	begins := map[string]int{} // by first word
	for i, o := range options {
		o = legible.Trim(o)
		folded := fold(o)
		m.folded[i] = folded
		m.exact[o] = i
		addUnique(m.alike, folded, i)
		addUnique(begins, firstWord(folded), i)
	}
	for _, words := range abbreviations {
		i, found := uniqueOf(m.alike, words)
		if !found {
			i, found = uniqueOf(begins, words)
		}
		for _, word := range words {
			if _, taken := m.alike[word]; found && !taken {
				m.alike[word] = i
			}
		}
	}
	return m
}

func addUnique(m map[string]int, key string, i int) {
	if _, taken := m[key]; taken {
		i = several
	}
	m[key] = i
}

// uniqueOf returns the index of the option that one of the words has.
func uniqueOf(m map[string]int, words []string) (i int, found bool) {
	for _, word := range words {
		if j, ok := m[word]; ok {
			if found {
				j = several
			}
			i, found = j, true
		}
	}
	return i, found
}

// find returns the index of the option that a text stands for: the option has the
// text, or it has the text in another case or width, or it is the "yes" or "no"
// that the text abbreviates or translates. i is -1 if there is no such option;
// ambiguous means that there are several.
func (m matcher) find(text string) (i int, ambiguous bool) {
	if i, ok := m.exact[text]; ok {
		return i, false
	}
	i, ok := m.alike[fold(text)]
	if !ok || i == several {
		return -1, ok
	}
	return i, false
}

// fold removes the differences of case, width and white space.
func fold(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(legible.Trim(text)))), " ")
}

// firstWord returns the first word of a folded text, such as "yes" of "yes, all".
func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// containing returns the indexes of the options that contain a text, in any case and
// width.
func (m matcher) containing(text string) (found []int) {
	text = fold(text)
	for i, o := range m.folded {
		if strings.Contains(o, text) {
			found = append(found, i)
		}
	}
	return found
}
