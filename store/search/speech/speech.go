// Package speech reads the form of what was said: who said it, and whether it asks.
package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSpeaker is the longest label of a speaker in bytes: the name and what is in
// brackets behind it.
const maxSpeaker = 120

// CutSpeaker splits the name of a speaker off a text of a conversation. The name
// begins with a capital or has no case, has at most three words, and ends with a
// colon, perhaps after brackets.
func CutSpeaker(text string) (name, body string) {
	head := text[:min(len(text), maxSpeaker)]
	end := strings.IndexFunc(head, func(r rune) bool {
		return r != ' ' && r != '.' && r != '-' && r != '\'' && !unicode.IsLetter(r) && !unicode.IsMark(r)
	})
	if end <= 0 {
		return "", text
	}
	name, rest := strings.TrimSpace(head[:end]), text[end:]
	if first, _ := utf8.DecodeRuneInString(name); unicode.IsLower(first) || len(strings.Fields(name)) > 3 {
		return "", text
	}
	for _, brackets := range [][2]string{{"(", ")"}, {"（", "）"}} {
		if strings.HasPrefix(rest, brackets[0]) {
			i := strings.Index(head[end:], brackets[1])
			if i < 0 {
				return "", text
			}
			rest = rest[i+len(brackets[1]):]
		}
	}
	for _, colon := range []string{":", "："} {
		if body, ok := strings.CutPrefix(rest, colon); ok {
			return name, body
		}
	}
	return "", text
}

// Asks reports whether a text ends with a question. What is in square brackets at
// its end, such as the description of a picture, does not count.
func Asks(text string) bool {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, " ["); i > 0 && strings.HasSuffix(text, "]") {
		text = text[:i]
	}
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return r != '?' && r != '？' && r != '。' && (unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r))
	})
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") ||
		strings.HasSuffix(strings.TrimSuffix(text, "。"), "ですか") ||
		strings.HasSuffix(strings.TrimSuffix(text, "。"), "ますか")
}

// meant is how much of a text counts for its meaning, in bytes. The mean of more words
// says less.
const meant = 4 << 10

// Meant returns the part of texts that counts for their meaning: their beginnings. What is in
// brackets behind the name of a speaker, such as a date, does not count.
func Meant(texts ...string) string {
	if name, body := CutSpeaker(texts[0]); name != "" {
		texts = append([]string{name, body}, texts[1:]...)
	}
	text := strings.Join(texts, "\n")
	if len(text) > meant {
		end := meant
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return text
}
