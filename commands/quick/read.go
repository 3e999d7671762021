package quick

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"techo/internal/dates"
	"techo/internal/repeat"
)

// line is what a line says: a title, a time in words, and whether that is a deadline.
type line struct {
	title    string
	when     string // "" for none
	repeats  bool
	timed    bool // it has a time of day, or several days
	deadline bool
	moment   dates.Moment // of the time without the repetition
}

// maxPhrase is the length of the longest time phrase, in characters.
const maxPhrase = 40

// read finds the time and the repetition in a line. The longest phrase that is a time counts, of
// equal ones the last.
func read(text string, now time.Time) (l line) {
	text = strings.Join(strings.Fields(text), " ")
	r, from, to, ok := repeat.Span(text)
	if !ok {
		return readAround(text, "", now)
	}
	l = readAround(strings.TrimSpace(text[:from]+" "+text[to:]), text[from:to], now)
	if l.repeats = true; r.Implied && !(l.timed && isList(r, text[from:to])) {
		return readAround(text, "", now)
	}
	return l
}

// isList reports whether days that no word repeats are listed for each week: 月水金, mon-fri.
// Others, such as "mon and tue" or 土日, may be days of one week.
func isList(r repeat.Rule, words string) bool {
	weekend := slices.Equal(r.Days, []time.Weekday{time.Sunday, time.Saturday})
	return r.Unit == repeat.Weekly && len(r.Days) > 1 && !weekend &&
		(strings.Contains(words, "-") || strings.ContainsFunc(words, isWide))
}

// readAround finds the time in a line around the words of a repetition.
func readAround(text, rule string, now time.Time) (l line) {
	from, to, m := phrase(text, now)
	before, after := text, ""
	if to > 0 {
		before, after = text[:from], text[to:]
		l.when, l.moment, l.timed = text[from:to], m, m.Timed || m.Last.After(m.Wall)
		before, after, l.deadline = cutDeadline(before, after)
		l.deadline = l.deadline || isDeadline(l.when)
	}
	l.title = title(before, after)
	l.when = strings.TrimSpace(rule + " " + l.when)
	return l
}

// phrase returns the place of the time phrase in a text; to is 0 without one.
func phrase(text string, now time.Time) (from, to int, m dates.Moment) {
	at := borders(text)
	for i, a := range at {
		for _, b := range at[i+1:] {
			part := text[a:b]
			size := utf8.RuneCountInString(part)
			if size > maxPhrase || size < utf8.RuneCountInString(text[from:to]) || !mayBeTime(part) ||
				endsInWord(part, text[b:]) {
				continue
			}
			if found, ok := dates.Parse(part, now, dates.Future); ok {
				from, to, m = a, b, found
			}
		}
	}
	return from, to, m
}

// endsInWord reports whether a phrase ends with the beginning of a word: 9時に朝|会.
func endsInWord(part, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	last, size := utf8.DecodeLastRuneInString(part)
	before, _ := utf8.DecodeLastRuneInString(part[:len(part)-size])
	isHan := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	return strings.ContainsRune("朝昼夕夜晩", last) && isHan(next) && !isHan(before)
}

// borders returns the places where a phrase may begin or end: around words, and between the
// characters of Japanese.
func borders(text string) (at []int) {
	wide := func(r rune) bool { return r >= 0x3000 }
	before := ' '
	for i, r := range text {
		if (r == ' ') != (before == ' ') || wide(r) || wide(before) {
			at = append(at, i)
		}
		before = r
	}
	return append(at, len(text))
}

// mayBeTime reports whether a phrase is more than a number or a word with another meaning, such as
// sun or may.
func mayBeTime(part string) bool {
	if strings.TrimSpace(part) != part || part == "" {
		return false
	}
	switch strings.ToLower(part) {
	case "sun", "sat", "may", "march", "mar", "dec", "wed", "second", "now", "mon", "fall", "spring", "one", "a":
		return false
	}
	isNoDigit := func(r rune) bool { return !unicode.IsDigit(r) }
	return utf8.RuneCountInString(part) > 1 && strings.ContainsFunc(part, isNoDigit)
}

// cutDeadline cuts the words off that make a time a deadline.
func cutDeadline(before, after string) (string, string, bool) {
	low := strings.ToLower(before)
	for _, word := range []string{"by", "due", "due on", "due by", "until", "before"} {
		if low == word+" " || strings.HasSuffix(low, " "+word+" ") {
			return before[:len(before)-len(word)-1], after, true
		}
	}
	for _, word := range []string{"までに", "まで", "締切", "〆切"} {
		if rest, ok := strings.CutPrefix(after, word); ok {
			return before, rest, true
		}
	}
	return before, after, false
}

// isDeadline reports whether a time phrase is a deadline itself: by Friday, 金曜までに.
func isDeadline(phrase string) bool {
	first, _, _ := strings.Cut(strings.ToLower(phrase), " ")
	ends := strings.HasSuffix(phrase, "まで") || strings.HasSuffix(phrase, "までに")
	return first == "by" || first == "due" || first == "until" || first == "before" ||
		ends && !strings.Contains(phrase, "から")
}

// title joins what is around a time phrase, without the words that led to it.
func title(before, after string) string {
	before = strings.TrimSpace(before)
	for _, word := range []string{"at", "on", "from", "for", "the", "@", ",", "is"} {
		if rest, ok := strings.CutSuffix(before, " "+word); ok {
			before = rest
		}
	}
	after = strings.TrimLeft(after, "、,にのはでから ")
	whole := strings.TrimSpace(before + " " + after)
	if before != "" && utf8.ValidString(before) && strings.ContainsFunc(before, isWide) {
		whole = strings.TrimRight(before, "、のは ") + after
	}
	return strings.Trim(whole, " ,、")
}

func isWide(r rune) bool { return r >= 0x3000 }
