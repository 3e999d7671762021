package page

import (
	"cmp"
	"strings"
	"unicode"
)

// Language returns the language that the page declares. If it declares none, it returns "ja" or
// "en" where text, a text of the page, is clearly Japanese or English, and "" elsewhere.
func (p *Page) Language(text string) string { return cmp.Or(p.Lang, languageOf(text)) }

// frequent are the words by which English is told from other languages.
const frequent = " the and of to that with for is this are was you your it "

// languageOf returns "ja" for a text with kana, "en" for one with English words, else "".
func languageOf(text string) string {
	letters, latin, kana := 0, 0, 0
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			continue
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Latin, r):
			latin++
		}
		letters++
	}
	switch {
	case kana*20 > letters:
		return "ja"
	case latin*2 > letters && isEnglish(text):
		return "en"
	}
	return ""
}

// isEnglish reports whether a tenth of the words are the frequent ones, and one is "the".
func isEnglish(text string) bool {
	words, found, the := 0, 0, false
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		words++
		if word = strings.ToLower(word); strings.Contains(frequent, " "+word+" ") {
			found++
			the = the || word == "the"
		}
	}
	return the && found*10 > words
}
