package search

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longVowel lengthens the vowel of the kana before it, in both syllabaries.
const longVowel = 'ー'

// A character is folded after NFKC and lower-casing, so that spellings of one word
// are one term: Straße and Strasse, café and cafe, リンゴ and りんご.

// foldLetter folds letters that Unicode does not decompose.
func foldLetter(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "ss", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'ø':
		return "o", true
	case 'ł':
		return "l", true
	case 'đ', 'ð':
		return "d", true
	case 'þ':
		return "th", true
	case 'ı':
		return "i", true
	}
	return "", false
}

// foldRune removes the accent of a Latin letter and returns the hiragana of a
// katakana.
func foldRune(r rune) rune {
	switch {
	case r >= 'ァ' && r <= 'ヶ', r == 'ヽ', r == 'ヾ':
		return r - 'ァ' + 'ぁ'
	case r < 0xc0 || r > 0x24f && (r < 0x1e00 || r > 0x1eff):
		return r
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if len(d) > 0 && d[0] < utf8.RuneSelf {
		return rune(d[0])
	}
	return r
}
