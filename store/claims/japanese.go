package claims

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// readJapanese reads a Japanese sentence, with the words in Latin letters in it.
func (c *sentenceClaim) readJapanese(line string) {
	pieces := piecesOf(line)
	topic := topicAt(pieces)
	c.state = true
	for i := 0; i < len(pieces) && !c.long; i++ {
		p := pieces[i]
		n := len(c.units)
		switch {
		case !p.japanese:
			i = c.latinPiece(pieces, i)
		case p.text == "も":
			c.also = c.also || i > topic
		case p.text == "ユーザー":
			c.ofUser = c.ofUser || i < topic
		case p.text == "しか":
			c.negative = !c.negative // 一回しか行かない says that one goes
		case listed(japaneseNegates, p.text) || strings.HasPrefix(p.text, "なくな"):
			c.deny(pieces, i)
		default:
			i = c.japanesePiece(pieces, i)
		}
		for k := n; k < len(c.units); k++ {
			c.units[k].subject = i < topic
			c.units[k].role = roleAfter(pieces, i)
			c.units[k].former = formerAfter(pieces, i)
			if i < topic {
				c.head = k
			}
		}
	}
	switch {
	case strings.Contains(line, "ことにし"): // it was decided
		c.changes = append(c.changes, "ことにし")
	case strings.Contains(line, "ことになって"): // it is the rule
		c.changes, c.since = nil, false
	}
	c.relation()
	if n := len(pieces); n > 1 {
		was := listed(" でし だっ ", pieces[n-2].text)
		c.past = pieces[n-1].text == "た" && was
		c.event = pieces[n-1].text == "た" && !was && len(c.changes) == 0
	}
	for i := range c.units {
		if u := &c.units[i]; u.kind == month && u.role == "から" && i < len(c.units)-1 {
			c.since = true // 4月からロンドンにいる
		}
	}
}

// relation finds the verb of a sentence: its last unit, if no particle ties it.
func (c *sentenceClaim) relation() {
	if len(c.units) == 0 {
		return
	}
	u := &c.units[len(c.units)-1]
	if u.subject || u.kind != word || u.role != "" {
		return
	}
	u.verb = isVerb(u.text)
	c.state = c.state && !u.verb
	c.several = c.several || listed(japaneseEvents, u.text)
}

// isVerb reports whether the stem of a Japanese word is of a verb: one with an ending.
func isVerb(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.Is(unicode.Hiragana, last) || listed(" 住 勤 通勤 通 飲 食 好 嫌 食べ 行 働 ", text)
}

// topicAt returns the place of the particle that ends the topic or the subject, or -1.
func topicAt(pieces []piece) int {
	subject := -1
	for i, p := range pieces {
		if i == 0 || !p.japanese {
			continue
		}
		denies := i+1 < len(pieces) &&
			(strings.HasPrefix(pieces[i+1].text, "な") || pieces[i+1].text == "あり")
		if p.text == "は" && !(denies && pieces[i-1].text == "で") {
			return i
		}
		if p.text == "が" && subject < 0 {
			subject = i
		}
	}
	return subject
}

// roleAfter returns the particle after a piece, "" at the end of the sentence.
func roleAfter(pieces []piece, i int) string {
	for _, p := range pieces[i+1:] {
		switch {
		case !p.japanese:
			return ""
		case listed(" さん 様 君 くん ちゃん 氏 年 月 日 時 分 ", p.text):
			continue
		case listed(japaneseParticles, p.text):
			return p.text
		}
		return ""
	}
	return ""
}

// formerAfter reports whether what follows a piece says that it held before.
func formerAfter(pieces []piece, i int) bool {
	const between = " さん 様 君 くん ちゃん 氏 番 曜日 曜 円 日 月 時 分 階 "
	for i+1 < len(pieces) && listed(between, pieces[i+1].text) {
		i++
	}
	rest := ""
	for _, p := range pieces[i+1 : min(i+5, len(pieces))] {
		rest += p.text
	}
	if beginning(japaneseFormer(), rest) != "" {
		return true
	}
	if strings.HasPrefix(rest, "より") && saysNow(pieces[:i]) {
		return true // 今はパンよりご飯
	}
	if !strings.HasPrefix(rest, "から") || listed(japaneseDays, pieces[i].text) {
		return false
	}
	for _, p := range pieces[i+2 : min(i+12, len(pieces))] {
		if beginning(japaneseChanges(), p.text) != "" {
			return true
		}
	}
	return false
}

// beginning returns the first of some words that a text begins with, "" for none.
func beginning(words []string, text string) string {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return w
		}
	}
	return ""
}

// saysNow reports whether pieces say that something holds now.
func saysNow(pieces []piece) bool {
	return slices.ContainsFunc(pieces, func(p piece) bool { return listed(japaneseNow, p.text) })
}

// deny counts a negation, unless it is a part of "must".
func (c *sentenceClaim) deny(pieces []piece, i int) {
	rest := ""
	for _, p := range pieces[i:min(i+7, len(pieces))] {
		rest += p.text
	}
	if beginning(japaneseMust(), rest) != "" {
		c.negative = !c.negative // the second negation takes it back
		return
	}
	if i > 0 && pieces[i-1].text == "で" || i > 1 && pieces[i-1].text == "は" && pieces[i-2].text == "で" {
		if strings.HasPrefix(rest, "なく") && len(rest) > len("なく") && !strings.HasPrefix(rest, "なくなっ") {
			return // パンではなくご飯
		}
	}
	if i > 0 && pieces[i].text == "ん" && pieces[i-1].text != "ませ" {
		return
	}
	if strings.HasPrefix(rest, "なくなっ") {
		c.changes = append(c.changes, "なくな")
	}
	c.negative = !c.negative
}

// latinPiece reads a word or number in Latin letters; it returns the last piece read.
func (c *sentenceClaim) latinPiece(pieces []piece, i int) int {
	low := strings.ToLower(pieces[i].text)
	digits, rest := cutNumber(low)
	if digits == "" || rest != "" {
		if digits != "" && len(rest) <= 2 && !hasDigit(rest) {
			c.add(unit{text: digits, kind: number, counter: rest})
			return i
		}
		c.add(unit{text: low, kind: name})
		return i
	}
	return c.number(pieces, i, digits)
}

// number adds a number and what it counts.
func (c *sentenceClaim) number(pieces []piece, i int, digits string) int {
	last := i
	for last+1 < len(pieces) && scale()[pieces[last+1].text] != "" {
		last++
		digits += scale()[pieces[last].text]
	}
	u := unit{text: digits, kind: number}
	if last+1 < len(pieces) {
		next := pieces[last+1].text
		first, size := utf8.DecodeRuneInString(next)
		switch {
		case next == "時半":
			u.text, last = digits+":30", last+1
		case strings.HasPrefix(next, "月") && next != "月曜" && next != "月曜日":
			u.text, u.kind, last = monthOf(digits), month, last+1
		case strings.ContainsRune(counters, first) || size == len(next) && unicode.Is(unicode.Han, first):
			u.counter, last = string(first), last+1
		case !pieces[last+1].japanese && len(next) <= 2:
			u.counter, last = strings.ToLower(next), last+1
		}
	}
	if u.counter == "時" {
		u.counter = ""
		if last+1 < len(pieces) && hasDigit(pieces[last+1].text) && last+2 < len(pieces) &&
			strings.HasPrefix(pieces[last+2].text, "分") {
			u.text, last = digits+":"+pieces[last+1].text, last+2
		} else if last+1 < len(pieces) && pieces[last+1].text == "半" {
			u.text, last = digits+":30", last+1
		}
		if i > 0 && listed(" 午後 夜 夕方 晩 ", pieces[i-1].text) {
			u.text = clock(u.text, true)
		}
	}
	if listed(" 日 年 歳 才 番 円 ", u.counter) && u.counter != "円" {
		u.counter = ""
	}
	c.add(u)
	return last
}

var scale = sync.OnceValue(func() map[string]string {
	return map[string]string{"万": "0000", "千": "000", "百": "00"}
})

// monthOf returns the name of a month.
func monthOf(digits string) string {
	names := []string{"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
		if n < 0 || n > 12 {
			return digits
		}
	}
	return names[n]
}

// japanesePiece reads a segment; it returns the last piece read.
func (c *sentenceClaim) japanesePiece(pieces []piece, i int) int {
	text := pieces[i].text
	if day := weekdayOf(text); day != "" {
		c.add(unit{text: day, kind: weekday})
		return i
	}
	if d := numeralOf(text); d != "" && i+1 < len(pieces) && (scale()[pieces[i+1].text] != "" ||
		startsWithCounter(pieces[i+1].text)) {
		return c.number(pieces, i, d)
	}
	if d, counter := cutNumeral(text); d != "" {
		c.add(unit{text: d, kind: number, counter: counter})
		return i
	}
	if strings.HasPrefix(text, "行") && i > 0 && listed(" に へ ", pieces[i-1].text) {
		c.several = true
	}
	if listed(japaneseNow, text) {
		c.since = true
	}
	if w := beginning(japaneseEnds(), text); w != "" {
		c.changes = append(c.changes, w)
		c.negative = !c.negative
		return i
	}
	if w := beginning(japaneseChanges(), text); w != "" {
		c.changes = append(c.changes, w)
		return i
	}
	if listed(japaneseParticles, text) || listed(japaneseSkipped, text) || text == "、" || text == "ー" {
		return i
	}
	if listed(" ユーザー 私 僕 俺 ", text) {
		c.add(unit{text: "user", kind: name})
		return i
	}
	u := unit{text: stemOf(text), kind: word, written: text}
	if utf8.RuneCountInString(u.text) == 1 && isKana(u.text) {
		return i
	}
	if i+1 < len(pieces) && listed(" さん 様 君 くん ちゃん 氏 ", pieces[i+1].text) {
		u.kind = name
	}
	c.add(u)
	return i
}

func startsWithCounter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(counters, first)
}

// numeralOf returns the digits of a numeral in kanji, "" of another text.
func numeralOf(text string) string {
	if i := strings.Index("一二三四五六七八九", text); i >= 0 && utf8.RuneCountInString(text) == 1 {
		return string(rune('1' + i/3))
	}
	switch text {
	case "〇":
		return "0"
	case "十":
		return "10"
	case "十一":
		return "11"
	case "十二":
		return "12"
	case "二十":
		return "20"
	case "三十":
		return "30"
	}
	return ""
}

// cutNumeral cuts a word such as 二人 into the numeral and what it counts.
func cutNumeral(text string) (digits, counter string) {
	if utf8.RuneCountInString(text) != 2 || listed(" 一番 一緒 一般 一部 一度 一方 一日 三日 ", text) {
		return "", ""
	}
	r, size := utf8.DecodeRuneInString(text)
	if d := numeralOf(string(r)); d != "" && startsWithCounter(text[size:]) {
		if c := text[size:]; c == "時" {
			return d, ""
		}
		return d, text[size:]
	}
	return "", ""
}

// weekdayOf returns the weekday that a word names.
func weekdayOf(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if rest := text[size:]; rest != "曜" && rest != "曜日" {
		return ""
	}
	for i, d := range []rune("月火水木金土日") {
		if d == r {
			return weekdayShort[i]
		}
	}
	return ""
}

var weekdayShort = [...]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// stemOf returns a word without the kana that depend on its form.
func stemOf(text string) string {
	runes := []rune(text)
	end := len(runes)
	for end > 1 && unicode.Is(unicode.Hiragana, runes[end-1]) {
		end--
	}
	if end == 1 && unicode.Is(unicode.Hiragana, runes[0]) {
		return text
	}
	if end < len(runes) {
		return string(runes[:end]) + "る" // marks it as a word with an ending
	}
	return text
}

func isKana(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) })
}
