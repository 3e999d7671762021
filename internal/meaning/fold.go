package meaning

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns text in compatibility form and its Latin letters without marks.
func fold(text string) string {
	if ascii(text) {
		return text
	}
	text = norm.NFKC.String(text)
	return strings.Map(plain, strings.ReplaceAll(text, "ß", "ss"))
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain returns a Latin letter without its marks and a curly apostrophe straight.
func plain(r rune) rune {
	switch {
	case r == '’':
		return '\''
	case r >= 'À' && r <= 'ɏ' || r >= 'Ḁ' && r <= 'ỿ':
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		return base
	}
	return r
}

// japanese reports whether r is a kana or an ideograph.
func japanese(r rune) bool {
	return r >= 'ぁ' && r <= 'ゖ' || r >= 'ァ' && r <= 'ー' || r >= '一' && r <= '\u9fff' ||
		r >= '㐀' && r <= '\u4dbf' || r == '々' || r == '〆'
}

func letter(b byte) bool { return lower(b) >= 'a' && lower(b) <= 'z' }
func digit(b byte) bool  { return b >= '0' && b <= '9' }

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
