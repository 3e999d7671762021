// Package romaji knows Japanese in Latin letters.
package romaji

import "strings"

// Is reports whether a word consists of Japanese syllables in Latin letters, in
// Hepburn's or the official spelling: sato, hanako, junpei, ninja.
func Is(word string) bool {
	word = strings.ToLower(word)
	for i := 0; i < len(word); {
		n := syllable(word[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	return word != ""
}

// syllable returns the length of the syllable at the beginning of a word; 0 without one.
func syllable(word string) int {
	has := func(i int, letters string) bool { return i < len(word) && strings.IndexByte(letters, word[i]) >= 0 }
	n := 0
	switch {
	case has(0, "kstpcgzdbj") && len(word) > 1 && (word[1] == word[0] || strings.HasPrefix(word, "tch")):
		n = 1 // a long consonant
	case has(0, "nm") && !has(1, vowels+"y"):
		if word[0] == 'm' && !has(1, "bpm") {
			return 0
		}
		return 1
	}
	switch rest := word[n:]; {
	case strings.HasPrefix(rest, "sh"), strings.HasPrefix(rest, "ch"), strings.HasPrefix(rest, "ts"):
		n += 2
	case has(n, "kgnhbpmrstzdj") && has(n+1, "y"):
		n += 2
	case has(n, "kgsztdnhbpmyrwjf"):
		n++
	}
	if !has(n, vowels) {
		return 0
	}
	if n++; has(n, "h") && (n+1 == len(word) || !has(n+1, vowels+"y")) {
		n++ // ohno
	}
	return n
}
