package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Traits are properties of a text that ranking uses (context.go).
type Traits struct {
	Asks     bool   // it ends with a question
	Personal bool   // it speaks in the first person
	Timed    bool   // it names a time relative to its own, such as yesterday
	Speaker  string // term of the name before it: Nina: …, ゆか（夜）：…
}

// traits returns the traits of a text, without what its words add.
func (a *Analyzer) traits(text string) (t Traits) {
	name, body := cutSpeaker(text)
	if name != "" {
		a.reader.read(name, func(k token) {
			if t.Speaker == "" {
				t.Speaker = k.term
			}
		})
	}
	t.Asks = asks(body)
	if strings.IndexFunc(body, func(r rune) bool { return r > unicode.MaxLatin1 }) >= 0 {
		t.Personal = containsAny(body, "私", "僕", "俺", "わたし", "ぼく", "おれ")
		t.Timed = containsAny(body, "昨日", "今日", "明日", "今朝", "昨夜", "日前",
			"先週", "今週", "来週", "週間前", "先月", "今月", "来月", "月前",
			"去年", "昨年", "今年", "来年", "年前")
	}
	return t
}

// word adds what a term of the text contributes.
func (t *Traits) word(term string) {
	switch term {
	case "i", "my", "we", "our":
		t.Personal = true
	case "yesterdai", "todai", "tomorrow", "tonight", "last", "next", "ago", "week", "weekend", "month", "year",
		"recent":
		t.Timed = true
	}
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// maxSpeaker is the longest label of a speaker in bytes: the name and what is in
// brackets behind it.
const maxSpeaker = 120

// cutSpeaker splits the name of a speaker off a text of a conversation. The name
// begins with a capital or has no case, has at most three words, and ends with a
// colon, perhaps after brackets.
func cutSpeaker(text string) (name, body string) {
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
	for _, brackets := range []string{"()", "（）"} {
		open, closing := splitRune(brackets)
		if strings.HasPrefix(rest, open) {
			i := strings.Index(head[end:], closing)
			if i < 0 {
				return "", text
			}
			rest = rest[i+len(closing):]
		}
	}
	for _, colon := range []string{":", "："} {
		if body, ok := strings.CutPrefix(rest, colon); ok {
			return name, body
		}
	}
	return "", text
}

func splitRune(s string) (first, rest string) {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n], s[n:]
}

// asks reports whether a text ends with a question. What is in square brackets at
// its end, such as the description of a picture, does not count.
func asks(text string) bool {
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
