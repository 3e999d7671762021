// Package runes knows the characters and words of texts in any script: invisible
// characters, scripts without blanks between words, ends of sentences. It knows nothing of
// HTML.
package runes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasStop reports whether a text has the end of a sentence.
func HasStop(text string) bool {
	for _, stop := range [...]string{".", "!", "?", "。", "！", "？"} {
		if strings.Contains(text, stop) {
			return true
		}
	}
	return false
}

// EndsSentence reports whether a text ends with the end of a sentence, quotes and brackets
// apart.
func EndsSentence(text string) bool {
	for text != "" {
		r, size := utf8.DecodeLastRuneInString(text)
		switch r {
		case '"', '\'', '”', '’', '）', ')', '」', '』', '»', ']', ' ', '\n':
			text = text[:len(text)-size]
		case '.', '!', '?', '。', '！', '？', '…', ':', '：':
			return true
		default:
			return false
		}
	}
	return false
}

// CountWords counts words. In scripts without blanks, two characters count as a
// word.
func CountWords(text string) float64 {
	n, inWord := 0.0, false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			isWord := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
			if isWord && !inWord {
				n++
			}
			inWord = isWord || inWord && c == '\''
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case IsIdeographic(r):
			n += 0.5
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inWord {
				n++
			}
			inWord = true
		default:
			inWord = inWord && unicode.IsMark(r)
		}
	}
	return n
}
