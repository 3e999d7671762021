package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Japanese reports whether a Japanese text speaks in the first person, and whether it names a time
// relative to its own.
func Japanese(text string) (personal, timed bool) {
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxLatin1 }) < 0 {
		return false, false
	}
	return hasAny(text, "私", "僕", "俺", "わたし", "ぼく", "おれ"),
		hasAny(text, "昨日", "今日", "明日", "今朝", "昨夜", "日前", "先週", "今週", "来週",
			"週間前", "先月", "今月", "来月", "月前", "去年", "昨年", "今年", "来年", "年前")
}

// English is Japanese for an English word, reduced to its stem.
func English(stem string) (personal, timed bool) {
	switch stem {
	case "i", "my", "we", "our":
		return true, false
	case "yesterdai", "todai", "tomorrow", "tonight", "last", "next", "ago", "week", "weekend", "month", "year",
		"recent":
		return false, true
	}
	return false, false
}

// AsksWhen reports whether a question asks for a time.
func AsksWhen(text string) bool {
	low := strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(low, "when ") || hasAny(low, "what date", "which date", "which month", "what day",
		"いつ", "何日", "何月", "何年")
}

// AsksOwn reports whether a text asks about matters of the one who asks, which a notebook may know and general
// knowledge does not: which train do I take? How do I sort a list? asks for what anybody knows, and can you fix my
// test? asks for an act.
func AsksOwn(text string) bool {
	if !Asks(text) {
		return false
	}
	if hasAny(text, ownJapanese...) {
		return !hasAny(text, "くれる", "くれます", "くれない", "もらえ", "ください", "いただけ")
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for i, w := range words {
		switch w {
		case "you":
			if i > 0 && slices.Contains([]string{"can", "could", "would", "will"}, words[i-1]) {
				return false
			}
		case "my", "mine", "our", "ours", "me", "us":
			return true
		case "i", "we":
			if i < 2 || words[i-2] != "how" {
				return true
			}
		}
	}
	return false
}

// ownJapanese are words for the speaker, and for relatives, who are the speaker's own unless somebody else is named.
var ownJapanese = []string{"私", "僕", "俺", "わたし", "ぼく", "おれ", "うち", "我が家", "母", "父", "息子", "娘", "妻", "夫", "主人",
	"祖母", "祖父", "おじいちゃん", "おばあちゃん", "お姉ちゃん", "お兄ちゃん", "弟", "妹"}

// hasAny reports whether a text has one of some parts.
func hasAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// Inflects reports whether a text begins with hiragana that belong to the kanji before
// them: not with a particle, a form of する or だ, or another word that follows nouns.
func Inflects(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if !unicode.Is(unicode.Hiragana, r) ||
		strings.ContainsRune("はがをにでとものへやかしすさせだなよら", r) {
		return false
	}
	for _, word := range []string{"まで", "ほど", "くん", "ちゃん", "くらい", "ぐらい", "ばかり"} {
		if strings.HasPrefix(text, word) {
			return false
		}
	}
	return true
}
