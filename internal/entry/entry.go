// Package entry reads a line as a person types it, Lunch with Sato tomorrow 12:00: a title, a time and a
// repetition, in English and Japanese.
package entry

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"techo/internal/dates"
	"techo/internal/lazyregexp"
	"techo/internal/repeat"
)

// Line is what a line says: a title, a time in words, and whether that is a deadline.
type Line struct {
	Title    string
	When     string // "" for none
	Repeats  bool
	Timed    bool // it has a time of day, or several days
	Deadline bool
	Unclear  bool         // some weekdays that may be one time or repeat
	After    string       // how long after it was done it is due again, in words
	Moment   dates.Moment // of the time without the repetition
	Second   string       // another time in the title: the line has two
	Guessed  string       // the time, if it touches a word that may belong to it
}

// maxPhrase is the length of the longest time phrase, in characters.
const maxPhrase = 40

// maxLine is the length of the longest line that is read, in bytes. Each two borders of words are tried,
// and nobody types more in one line.
const maxLine = 1000

// Read finds the time and the repetition in a line. The longest phrase that is a time counts, of
// equal ones the last. A text of more than 1,000 bytes is all title.
func Read(text string, now time.Time) (l Line) {
	if len(text) > maxLine {
		return Line{Title: text}
	}
	text, guess := weekdayNames(strings.Join(strings.Fields(text), " "))
	text, words := hideWords(text)
	l = readTimes(openTimes(text, now), now)
	if y, m, d := now.Date(); l.When != "" && !l.Timed && !l.Repeats && !l.Deadline && !l.Unclear && !hasDigit(l.When) &&
		!l.Moment.Last.IsZero() && l.Moment.Last.Before(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) {
		l = Line{Title: text} // what was done yesterday is a note
	}
	if l.When != "" && !l.Deadline && !l.Unclear {
		if l.Guessed = cmp.Or(l.Guessed, guessed(text, l.When)); guess {
			l.Guessed = l.When
		}
	}
	if l.When != "" && l.After == "" && !l.Unclear {
		l.Second = secondTime(text, l, now)
	}
	if l.When == "" && bothDays.Get().MatchString(text) {
		l.When, l.Unclear = "土日", true
	}
	l.Title, l.When, l.After = words.show(l.Title), words.show(l.When), words.show(l.After)
	return l
}

// bothDays matches the days of a weekend, which may be one or each.
var bothDays = lazyregexp.New(`(?:^|[^\p{Han}])土日(?:に|は|で| |$)`)

// readTimes is Read for a text whose words are hidden.
func readTimes(text string, now time.Time) (l Line) {
	if from, to, ok := afterDone(text); ok {
		return Line{Title: title(text[:from], text[to:]), After: text[from:to]}
	}
	r, from, to, ok := repeat.Span(text)
	if !ok {
		return readAround(text, "", now)
	}
	a, b := widen(text, from, to, now)
	_, rest, _ := repeat.Find(text[a:b])
	if rest == "" {
		l = readAround(strings.TrimSpace(text[:a]+" "+text[b:]), text[a:b], now)
	} else if l.Moment, ok = dates.Parse(rest, now, dates.Future); ok {
		l.When, l.Timed = rest, l.Moment.Timed || l.Moment.Last.After(l.Moment.Wall)
		before, after := text[:a], text[b:]
		if len(r.Days)+len(r.MonthDays) == 0 && r.Unit != repeat.Daily && l.Moment.Timed {
			before, after = l.takeOther(before, after, now) // the day on which it repeats
		}
		if l.When == rest {
			l.When = text[a:b]
		} else {
			l.When = text[from:to] + " " + l.When
		}
		l.Title = title(before, after)
	}
	if l.Repeats = true; r.Implied && !(l.Timed && isList(r, text[from:to])) {
		l = readAround(text, "", now)
		at := strings.Index(text, l.When)
		end := at + len(l.When)
		l.Unclear = l.When != "" && at < to && end > from && (at > from || end < to) // it has one day of several
		return l
	}
	l.cutEnd(now)
	return l
}

// bracketed matches a text in brackets.
var bracketed = lazyregexp.New(`[(（]([^()（）]+)[)）]`)

// openTimes takes the brackets off a time: dinner (friday 7pm).
func openTimes(text string, now time.Time) string {
	text = bracketed.Get().ReplaceAllStringFunc(text, func(all string) string {
		inner := bracketed.Get().FindStringSubmatch(all)[1]
		_, rest, repeats := repeat.Find(inner)
		if _, ok := dates.Parse(inner, now, dates.Future); ok && mayBeTime(inner) || repeats && rest == "" {
			return " " + inner + " "
		}
		return all
	})
	return strings.Join(strings.Fields(text), " ")
}

// afterDone returns the place of a repetition that counts from the day on which something was done.
func afterDone(text string) (from, to int, ok bool) {
	at := borders(text)
	for i, a := range at {
		for _, b := range slices.Backward(at[i+1:]) {
			part := text[a:b]
			if _, ok := repeat.AfterDone(part); ok && strings.TrimSpace(part) == part {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// widen returns the longest phrase around a repetition that is one with its time, its end and its
// exceptions. Words before it belong to it only if they are such themselves.
func widen(text string, from, to int, now time.Time) (a, b int) {
	a, b = from, to
	at := append(borders(text), from, to)
	for _, first := range at {
		for _, last := range at {
			if first > from || last < to || last-first < b-a || last-first > 2*maxPhrase {
				continue
			}
			part := text[first:last]
			_, rest, ok := repeat.Find(part)
			if _, timed := dates.Parse(rest, now, dates.Future); ok && (rest == "" || timed) && mayBeTime(part) &&
				!endsInWord(part, text[last:]) {
				a, b = first, last
			}
		}
	}
	return a, b
}

// cutEnd moves an end or an exception of a repetition from the end of the title to its time:
// 定例(6/15は除く), Standup until july 20.
func (l *Line) cutEnd(now time.Time) {
	was, _, _ := repeat.Find(l.When)
	for _, i := range borders(l.Title) {
		all := l.When + " " + strings.TrimSpace(l.Title[i:])
		r, rest, ok := repeat.Find(all)
		_, timed := dates.Parse(rest, now, dates.Future)
		ends := len(r.Except) > len(was.Except) || r.Count != was.Count || r.Until != was.Until || r.For != was.For
		if ok && ends && i > 0 && (rest == "" || timed) {
			l.Title, l.When = strings.TrimRight(l.Title[:i], " ,、("), all
			return
		}
	}
}

// isList reports whether days that no word repeats are listed for each week: 月水金, mon-fri,
// tue/thu. Others, such as "mon and tue" or 土日, may be days of one week.
func isList(r repeat.Rule, words string) bool {
	weekend := slices.Equal(r.Days, []time.Weekday{time.Sunday, time.Saturday})
	return r.Unit == repeat.Weekly && len(r.Days) > 1 && !weekend &&
		(len(r.Days) > 2 || !strings.Contains(words, " and "))
}

// readAround finds the time in a line around the words of a repetition.
func readAround(text, rule string, now time.Time) (l Line) {
	from, to, m := phrase(text, now)
	before, after := text, ""
	if to > 0 {
		before, after = text[:from], text[to:]
		l.When, l.Moment, l.Timed = text[from:to], m, m.Timed || m.Last.After(m.Wall)
		if !m.Offset && (rule == "" || m.Timed) {
			before, after = l.takeOther(before, after, now)
		}
		var deadline bool
		before, after, deadline = cutDeadline(before, after)
		l.Deadline = l.Deadline || deadline || isDeadline(l.When)
	}
	l.Title = title(before, after)
	l.When = strings.TrimSpace(rule + " " + l.When)
	return l
}

// takeOther cuts what the time lacks off what stands around it, its day or its clock: Sunday brunch
// 11am.
func (l *Line) takeOther(before, after string, now time.Time) (string, string) {
	if first, rest, _ := strings.Cut(before, " "); !l.Moment.Timed && strings.EqualFold(first, "noon") && strings.TrimSpace(rest) != "" {
		if m, ok := dates.Parse(l.When+" at noon", now, dates.Future); ok && m.Timed { // Noon yoga on Sunday
			l.When, l.Moment, l.Timed, l.Guessed = l.When+" at noon", m, true, first
			return rest, after
		}
	}
	for _, side := range []*string{&after, &before} {
		from, to, m := phraseBeside(*side, now, l.Moment.Timed)
		if to == 0 || m.Timed == l.Moment.Timed || m.Offset || m.Period || l.Moment.Period {
			continue
		}
		day, when := m, (*side)[from:to]+" "+l.When
		if m.Timed {
			day, when = l.Moment, l.When+" "+(*side)[from:to]
		}
		both, ok := dates.Parse(strings.TrimPrefix(when, "on "), now, dates.Future)
		y, month, d := both.Wall.Date()
		if !ok || !both.Timed || !day.Wall.Equal(time.Date(y, month, d, 0, 0, 0, 0, time.UTC)) {
			continue
		}
		l.When, l.Moment, l.Timed = when, both, true
		lead, _, deadline := cutDeadline((*side)[:from], "") // Thursday before 9am
		l.Deadline = deadline
		*side = strings.TrimRight(lead, " ") + (*side)[to:]
		return before, after
	}
	return before, after
}

// phrase returns the place of the time phrase in a text; to is 0 without one.
func phrase(text string, now time.Time) (from, to int, m dates.Moment) {
	return phraseBeside(text, now, clockForm.Get().MatchString(text))
}

// phraseBeside is phrase for a text that may have a time of day beside it, which makes a short name such
// as Sat a day.
func phraseBeside(text string, now time.Time, timed bool) (from, to int, m dates.Moment) {
	at := borders(text)
	for i, a := range at {
		for _, b := range at[i+1:] {
			part := text[a:b]
			size := utf8.RuneCountInString(part)
			if size > maxPhrase || size < utf8.RuneCountInString(text[from:to]) ||
				!mayBeTime(part) && !isWeekday(text, a, b, timed) || endsInWord(part, text[b:]) || endsOpen(part) {
				continue
			}
			if found, ok := dates.Parse(part, now, dates.Future); ok && !isTopic(part, text[:a], text[b:], found) &&
				!isNounsPart(part, text[:a], text[b:], found, now) {
				from, to, m = a, b, found
			}
		}
	}
	return from, to, m
}

// isTopic reports whether a time is what a sentence is about: ask about monday, Monday is a bad day,
// plan the sept offsite, 7月の旅行の計画.
func isTopic(part, before, after string, m dates.Moment) bool {
	lead, core := strings.ToLower(before), strings.ToLower(part)
	for _, word := range []string{"about ", "the "} {
		if rest, ok := strings.CutPrefix(core, word); ok {
			lead, core = lead+word, rest
		}
	}
	next, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(after)), " ")
	if !m.Timed && (strings.HasPrefix(after, "を") || strings.HasPrefix(after, "が")) ||
		strings.HasSuffix(before, "の") && !hasDigit(part) ||
		!m.Timed && m.Period && strings.HasPrefix(after, "は") || m.Period && isMonthName(lead, core) {
		return true
	}
	switch {
	case m.Period && (strings.HasSuffix(lead, "the ") || strings.HasSuffix(core, "の") ||
		strings.HasPrefix(next, "の")):
		return true
	case strings.HasSuffix(lead, "about the "):
		return true
	case strings.HasSuffix(lead, "the ") && anyWeekday.Get().MatchString(core) && !isFunction(strings.Trim(next, ",.;:")):
		return !m.Timed // the Monday report
	case m.Timed:
		return false
	}
	return strings.HasSuffix(lead, "about ") ||
		before == "" && slices.Contains([]string{"is", "was", "are", "were", "isn't"}, next)
}

// endsOpen reports whether a phrase ends with a word that leads to another one: 1230 in the|parser.
func endsOpen(part string) bool {
	last := strings.ToLower(part[strings.LastIndexByte(part, ' ')+1:])
	return last != part && slices.Contains([]string{"in", "the", "at", "on", "of", "for", "to", "from"}, last)
}

// isNounsPart reports whether a phrase begins with the part of a day that belongs to the word in front of it, and
// whose line says the time without it: parent|evening next Tuesday 18:00.
func isNounsPart(part, before, after string, m dates.Moment, now time.Time) bool {
	first, rest, _ := strings.Cut(part, " ")
	if !slices.Contains([]string{"morning", "afternoon", "evening", "night"}, strings.ToLower(first)) || !m.Timed ||
		isFunction(strings.ToLower(before[strings.LastIndexByte(strings.TrimRight(before, " "), ' ')+1:])) {
		return false
	}
	alone, ok := dates.Parse(rest, now, dates.Future)
	return ok && (alone.Timed && alone.Wall.Equal(m.Wall) || clockForm.Get().MatchString(after))
}

// endsInWord reports whether a phrase ends with the beginning of a word: 9時に朝|会.
func endsInWord(part, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	last, size := utf8.DecodeLastRuneInString(part)
	before, _ := utf8.DecodeLastRuneInString(part[:len(part)-size])
	if last == '日' && next == '本' { // 昭和の日|本史
		return true
	}
	isHan := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	meal := strings.HasPrefix(after, "ご") && !strings.HasPrefix(after, "ごろ") // 昼|ごはん
	return strings.ContainsRune("朝昼夕夜晩", last) && (isHan(next) || meal) && !isHan(before)
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
	low := strings.ToLower(part)
	if low == "at noon" || low == "at midnight" || low == "the first" || low == "by noon" {
		return true
	}
	for _, word := range []string{"the ", "on ", "in ", "at ", "of ", "for "} {
		low = strings.TrimPrefix(low, word)
	}
	switch low {
	case "sun", "sat", "may", "march", "mar", "dec", "wed", "second", "now", "mon", "fall", "spring", "one", "a", "noon",
		"midnight", "first", "third", "fourth", "fifth":
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
	for _, word := range []string{"締め切り", "締切", "〆切", "〆", "必着", "期限"} {
		if rest, ok := strings.CutSuffix(strings.TrimRight(before, " は:："), word); ok {
			return rest, after, true
		}
	}
	for _, word := range []string{"までに", "まで", "締め切り", "締切", "〆切", "必着"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(after, " "), word); ok {
			return before, rest, true
		}
	}
	return before, after, false
}

// isDeadline reports whether a time phrase is a deadline itself: by Friday, 金曜までに.
func isDeadline(phrase string) bool {
	first, _, _ := strings.Cut(strings.ToLower(phrase), " ")
	ends := strings.HasSuffix(phrase, "まで") || strings.HasSuffix(phrase, "までに")
	for _, end := range []string{"中", "中に", "年内", "年内に", "終業", "終業時", "eod", "eob", "cob",
		"end of day", "end of business", "close of business"} {
		ends = ends || strings.HasSuffix(strings.ToLower(phrase), end) && !strings.HasSuffix(phrase, "日中")
	}
	return first == "by" || first == "due" || first == "until" || first == "before" ||
		ends && !strings.Contains(phrase, "から")
}

// title joins what is around a time phrase, without the words that led to it.
func title(before, after string) string {
	apart := ""
	if strings.HasSuffix(before, " ") && strings.HasPrefix(after, " ") {
		apart = " "
	}
	before = strings.TrimSpace(before)
	for _, word := range []string{"at", "on", "in", "from", "for", "the", "@", ",", "is"} {
		if rest, ok := strings.CutSuffix(before, " "+word); ok {
			before = rest
		}
	}
	after = cutParticle(strings.TrimLeft(after, "、, "))
	whole := strings.TrimSpace(before + " " + after)
	if before != "" && utf8.ValidString(before) && strings.ContainsFunc(before, isWide) {
		whole = strings.TrimRight(before, "、のは ") + apart + after
	}
	return strings.TrimRight(strings.Trim(whole, " ,、"), ":：")
}

// cutParticle cuts the particle off that joins a time to the words behind it.
func cutParticle(text string) string {
	for _, particle := range []string{"からの", "から", "には", "では", "に", "の", "は", "で", "、"} {
		if rest, ok := strings.CutPrefix(text, particle); ok {
			return strings.TrimLeft(rest, "、, ")
		}
	}
	return text
}

// isWide reports whether a character needs no blanks around words. One that stands for hidden words does.
func isWide(r rune) bool { return r >= 0x3000 && r < firstHidden }
