// Package stem reduces English words to their stems: irregular forms by a list,
// other words by the algorithm of M. F. Porter, "An algorithm for suffix
// stripping", Program 14 (1980).
package stem

import "strings"

// Of returns the stem of a word in lower-case ASCII letters. Words of one or two
// letters and words with other characters are returned unchanged.
func Of(word string) string {
	word = american(word)
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	word = lemma(word)
	if len(word) <= 2 {
		return word
	}
	w := []byte(word)
	w = plural(w)
	w = past(w)
	w = finalY(w)
	w = replaceOne(w, doubleSuffixes)
	w = replaceOne(w, adjectiveSuffixes)
	w = residual(w)
	return string(tidy(w))
}

// rule replaces a suffix.
type rule struct{ from, to string }

// The rules of steps 2 and 3. The longest matching suffix applies.
var (
	doubleSuffixes = []rule{
		{"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
		{"tional", "tion"}, {"biliti", "ble"}, {"entli", "ent"}, {"ousli", "ous"}, {"ation", "ate"}, {"alism", "al"},
		{"aliti", "al"}, {"iviti", "ive"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
		{"alli", "al"}, {"ator", "ate"}, {"logi", "log"}, {"eli", "e"},
	}
	adjectiveSuffixes = []rule{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
	}
	residualSuffixes = []string{
		"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
		"al", "er", "ic", "ou",
	}
)

// consonant reports whether the letter at i is a consonant. y is one, except after
// a consonant.
func consonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

// measure returns Porter's m: the number of vowel-consonant sequences.
func measure(w []byte) (m int) {
	vowel := false
	for i := range w {
		c := consonant(w, i)
		if c && vowel {
			m++
		}
		vowel = !c
	}
	return m
}

func hasVowel(w []byte) bool {
	for i := range w {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

func doubled(w []byte) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// short reports whether w ends in consonant, vowel, consonant, and not in w, x or
// y (Porter's *o).
func short(w []byte) bool {
	n := len(w)
	return n >= 3 && consonant(w, n-1) && !consonant(w, n-2) && consonant(w, n-3) &&
		!strings.ContainsRune("wxy", rune(w[n-1]))
}

func ends(w []byte, suffix string) (stem []byte, ok bool) {
	if len(w) < len(suffix) || string(w[len(w)-len(suffix):]) != suffix {
		return nil, false
	}
	return w[:len(w)-len(suffix)], true
}

// plural is step 1a.
func plural(w []byte) []byte {
	for _, s := range []rule{{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}} {
		if stem, ok := ends(w, s.from); ok {
			return append(stem, s.to...)
		}
	}
	return w
}

// past is step 1b.
func past(w []byte) []byte {
	if stem, ok := ends(w, "eed"); ok {
		if measure(stem) > 0 {
			return append(stem, "ee"...)
		}
		return w
	}
	for _, s := range []string{"ed", "ing"} {
		stem, ok := ends(w, s)
		if !ok {
			continue
		}
		if !hasVowel(stem) {
			return w
		}
		switch n := len(stem); {
		case strings.HasSuffix(string(stem), "at"), strings.HasSuffix(string(stem), "bl"),
			strings.HasSuffix(string(stem), "iz"):
			return append(stem, 'e')
		case doubled(stem) && !strings.ContainsRune("lsz", rune(stem[n-1])):
			return stem[:n-1]
		case measure(stem) == 1 && short(stem):
			return append(stem, 'e')
		}
		return stem
	}
	return w
}

// finalY is step 1c.
func finalY(w []byte) []byte {
	if stem, ok := ends(w, "y"); ok && hasVowel(stem) {
		return append(stem, 'i')
	}
	return w
}

// replaceOne applies the first matching rule if the measure of the remaining word
// is not 0.
func replaceOne(w []byte, rules []rule) []byte {
	for _, r := range rules {
		if stem, ok := ends(w, r.from); ok {
			if measure(stem) > 0 {
				return append(stem, r.to...)
			}
			return w
		}
	}
	return w
}

// residual is step 4.
func residual(w []byte) []byte {
	for _, s := range residualSuffixes {
		stem, ok := ends(w, s)
		if !ok {
			continue
		}
		if measure(stem) > 1 && (s != "ion" || len(stem) > 0 &&
			(stem[len(stem)-1] == 's' || stem[len(stem)-1] == 't')) {
			return stem
		}
		return w
	}
	return w
}

// tidy is step 5.
func tidy(w []byte) []byte {
	if stem, ok := ends(w, "e"); ok {
		if m := measure(stem); m > 1 || m == 1 && !short(stem) {
			w = stem
		}
	}
	if n := len(w); n > 1 && w[n-1] == 'l' && doubled(w) && measure(w[:n-1]) > 1 {
		w = w[:n-1]
	}
	return w
}

// american returns the American spelling of a word in British spelling, and other
// words unchanged.
func american(word string) string {
	for _, p := range british {
		if rest, ok := strings.CutPrefix(word, p[0]); ok {
			return p[1] + rest
		}
	}
	return word
}

// british lists beginnings of words in British spelling with the American ones.
var british = [...][2]string{
	{"aluminium", "aluminum"}, {"analyse", "analyze"}, {"analysing", "analyzing"}, {"apologis", "apologiz"},
	{"behaviour", "behavior"}, {"cancell", "cancel"}, {"catalogue", "catalog"}, {"centre", "center"},
	{"colour", "color"}, {"cosy", "cozy"}, {"defence", "defense"}, {"favour", "favor"}, {"fibre", "fiber"},
	{"flavour", "flavor"}, {"grey", "gray"}, {"harbour", "harbor"}, {"honour", "honor"}, {"humour", "humor"},
	{"jewell", "jewel"}, {"labour", "labor"}, {"licence", "license"}, {"litre", "liter"}, {"metre", "meter"},
	{"moustache", "mustache"}, {"neighbour", "neighbor"}, {"organis", "organiz"}, {"plough", "plow"},
	{"programme", "program"}, {"pyjama", "pajama"}, {"realise", "realize"}, {"realising", "realizing"},
	{"recognis", "recogniz"}, {"rumour", "rumor"}, {"sceptic", "skeptic"}, {"theatre", "theater"},
	{"travell", "travel"}, {"tyre", "tire"}, {"vapour", "vapor"},
}
