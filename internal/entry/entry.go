// Package entry reads a line as a person types it, Lunch with Sato tomorrow 12:00: a title, a time and a
// repetition, in English and Japanese.
package entry

import (
	"cmp"
	"iter"
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
	Missing  string       // a day or a time that does not exist: 2月30日
	Zone     string       // the name of several zones behind the time: BST
	Guessed  string       // the time, if it touches a word that may belong to it
}

// maxPhrase is the length of the longest time phrase, in characters.
const maxPhrase = 40

// farYears is how many years ahead a time may be: 11/22/63 is a title.
const farYears = 20

// maxLine is the length of the longest line that is read, in bytes. Each two borders of words are tried,
// and nobody types more in one line.
const maxLine = 1000

// Read finds the time and the repetition in a line. The longest phrase that is a time counts, of
// equal ones the last. A text of more than 1,000 bytes is all title.
func Read(text string, now time.Time) Line {
	r := &reader{now: now, known: map[string]parsed{}}
	return r.read(text)
}

// loneWeekday matches a time that is the name of a weekday alone.
var loneWeekday = lazyregexp.New(`(?i)^(?:on )?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*$|^[月火水木金土日]曜日?に?$`)

// WeekdayOf reports whether the time is the name of a weekday that may be today or in a week, and is taken for
// today.
func (l Line) WeekdayOf(today time.Time) bool {
	y, m, d := today.Date()
	return !l.Repeats && !l.Deadline && loneWeekday.Get().MatchString(l.When) &&
		l.Moment.Wall.Equal(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}

// reader reads one line. A phrase is tried beside all of its neighbours, and parsed once.
type reader struct {
	now   time.Time
	known map[string]parsed
	taken string // the part of the time that stands apart from the rest
}

type parsed struct {
	moment dates.Moment
	ok     bool
}

func (r *reader) parse(text string) (dates.Moment, bool) {
	p, ok := r.known[text]
	if !ok {
		p.moment, p.ok = dates.Parse(text, r.now, dates.Future)
		r.known[text] = p
	}
	p.moment.Notes = slices.Clip(p.moment.Notes) // several may append to them
	return p.moment, p.ok
}

func (r *reader) read(text string) (l Line) {
	if len(text) > maxLine {
		return Line{Title: text}
	}
	text, headed := r.openHeading(strings.Join(strings.Fields(text), " "))
	text, guess := weekdayNames(text)
	text, numbered := r.numberedWeekday(text)
	text, words := hideWords(text)
	l = r.readTimes(r.openTimes(text))
	if y, m, d := r.now.Date(); l.When != "" && !l.Timed && !l.Repeats && !l.Deadline && !l.Unclear && !hasDigit(l.When) &&
		!l.Moment.Last.IsZero() && l.Moment.Last.Before(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) {
		l = Line{Title: text} // what was done yesterday is a note
	}
	l.Missing = r.missing(text)
	if g := severalZones.Get().FindStringSubmatch(text); g != nil && l.Timed {
		l.Zone = g[1]
	}
	if l.When != "" && !l.Deadline && !l.Unclear && !headed {
		if l.Guessed = cmp.Or(l.Guessed, guessed(text, l.When), guessed(text, r.taken)); guess || numbered {
			l.Guessed = l.When
		}
	}
	if l.When != "" && l.After == "" && !l.Unclear {
		l.Second = cmp.Or(l.Second, r.secondTime(text, l))
	}
	if bothDays.Get().MatchString(text) &&
		(l.When == "" || !l.Repeats && !namedDay.Get().MatchString(l.When) && !hasDate.Get().MatchString(l.When)) {
		l.When, l.Unclear = strings.TrimSpace("土日 "+l.When), true
	}
	l.Title, l.When, l.After = words.show(l.Title), words.show(l.When), words.show(l.After)
	return l
}

// bothDays matches the days of a weekend, which may be one or each.
var bothDays = lazyregexp.New(`(?:^|[^\p{Han}])土日(?:に|は|で| |\d|$)`)

// hasDate matches what a day has and a time of day has not.
var hasDate = lazyregexp.New(`[日月週]|\d/\d|-\d+-`)

// readTimes is Read for a text whose words are hidden.
func (r *reader) readTimes(text string) (l Line) {
	if from, to, ok := afterDone(text); ok {
		return Line{Title: title(text[:from], text[to:]), After: text[from:to]}
	}
	rule, from, to, ok := repeat.Span(text)
	if !ok {
		return r.readAround(text, "")
	}
	a, b := r.widen(text, from, to)
	_, rest, _ := repeat.Find(text[a:b])
	if rest == "" {
		l = r.readAround(strings.Join(strings.Fields(text[:a]+" "+text[b:]), " "), text[a:b])
		if when := strings.TrimPrefix(l.When, text[a:b]+" "); l.Deadline && len(rule.Days) > 0 && namedDay.Get().MatchString(when) {
			l.When, l.Second = when, text[a:b] // give Tuesdays with Morrie back by Friday
			return l
		}
	} else if l.Moment, ok = r.parse(rest); ok {
		l.When, l.Timed = rest, l.Moment.Timed || l.Moment.Last.After(l.Moment.Wall)
		before, after := text[:a], text[b:]
		if len(rule.Days)+len(rule.MonthDays) == 0 && rule.Unit != repeat.Daily || !l.Moment.Timed {
			before, after = r.takeOther(&l, before, after) // the day on which it repeats, or the time of day
		}
		if l.When == rest {
			l.When = text[a:b]
		} else {
			l.When = text[from:to] + " " + l.When
		}
		l.Title = title(before, after)
	}
	if l.Repeats = true; rule.Implied && !(l.Timed && isList(rule, text[from:to])) {
		l = r.readAround(text, "")
		at := strings.Index(text, l.When)
		end := at + len(l.When)
		l.Unclear = l.When != "" && at < to && end > from && (at > from || end < to) // it has one day of several
		return l
	}
	if adjective.Get().MatchString(text[from:to]) && dated.Get().MatchString(l.When) {
		l.Guessed = text[from:to]
	}
	r.cutEnd(&l)
	return l
}

var (
	// adjective matches a repetition that may describe what happens once, on a date: Quarterly review apr 15 3pm.
	adjective = lazyregexp.New(`(?i)^(?:daily|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annual|nightly)$`)
	dated     = lazyregexp.New(`(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|` +
		`\d(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d/\d|\d{4}-\d|\d月\d`)
)

// bracketed matches a text in brackets.
var bracketed = lazyregexp.New(`[(（]([^()（）]+)[)）]`)

// openHeading takes the colon off a time that heads a line: in 45 minutes: take the cake out.
func (r *reader) openHeading(text string) (all string, headed bool) {
	for _, colon := range []string{": ", "："} {
		head, rest, ok := strings.Cut(text, colon)
		_, _, repeats := repeat.Find(head)
		if _, timed := r.parse(head); ok && rest != "" && mayBeTime(head) && (timed || repeats) {
			return head + " " + rest, true
		}
	}
	return text, false
}

// openTimes takes the brackets off a time: dinner (friday 7pm).
func (r *reader) openTimes(text string) string {
	text = bracketed.Get().ReplaceAllStringFunc(text, func(all string) string {
		inner := bracketed.Get().FindStringSubmatch(all)[1]
		_, rest, repeats := repeat.Find(inner)
		if _, ok := r.parse(inner); ok && mayBeTime(inner) || repeats && rest == "" {
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
func (r *reader) widen(text string, from, to int) (a, b int) {
	a, b = from, to
	at := append(borders(text), from, to)
	for _, first := range at {
		for _, last := range at {
			if first > from || last < to || last-first < b-a || last-first > 2*maxPhrase {
				continue
			}
			part := text[first:last]
			if isMonthName(strings.ToLower(text[:first]), firstWord(part)) && !dated.Get().MatchString(part) {
				continue // 1:1 with Jun every Thursday
			}
			rule, rest, ok := repeat.Find(part)
			if _, timed := r.parse(rest); ok && r.endsOnDay(rule) && (rest == "" || timed) && mayBeTime(part) &&
				!endsInWord(part, text[last:]) {
				a, b = first, last
			}
		}
	}
	return a, b
}

// endsOnDay reports whether the last day of a repetition is one: not July 20 with Bob.
func (r *reader) endsOnDay(rule repeat.Rule) bool {
	_, ok := r.parse(rule.Until)
	return ok || rule.Until == ""
}

// cutEnd moves an end or an exception of a repetition from the end of the title to its time:
// 定例(6/15は除く), Standup until july 20.
func (r *reader) cutEnd(l *Line) {
	was, _, _ := repeat.Find(l.When)
	for _, i := range borders(l.Title) {
		all := l.When + " " + strings.TrimSpace(l.Title[i:])
		rule, rest, ok := repeat.Find(all)
		_, timed := r.parse(rest)
		ends := len(rule.Except) > len(was.Except) || rule.Count != was.Count || rule.Until != was.Until || rule.For != was.For
		if ok && ends && r.endsOnDay(rule) && i > 0 && (rest == "" || timed) {
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
func (r *reader) readAround(text, rule string) (l Line) {
	from, to, m := r.phrase(text)
	before, after := text, ""
	if to > 0 {
		before, after = text[:from], text[to:]
		l.When, l.Moment, l.Timed = text[from:to], m, m.Timed || m.Last.After(m.Wall)
		if !m.Offset && (rule == "" || m.Timed) {
			before, after = r.takeOther(&l, before, after)
		}
		if m.Timed && m.End == nil && m.Length == 0 {
			before, after = r.takeLength(&l, before, after)
		}
		var deadline bool
		before, after, deadline = cutDeadline(before, after)
		l.Deadline = l.Deadline || deadline || isDeadline(l.When)
		switch firstWord(l.When) {
		case "on", "at", "in", "by": // look forward to on Friday
		default:
			before = strings.TrimSuffix(before, " to ") // moved to 9:50
		}
	}
	l.Title = title(before, after)
	l.When = strings.TrimSpace(rule + " " + l.When)
	return l
}

// takeOther cuts what the time lacks off what stands around it, its day or its clock: Sunday brunch
// 11am.
func (r *reader) takeOther(l *Line, before, after string) (string, string) {
	if first, rest, _ := strings.Cut(before, " "); !l.Moment.Timed && strings.EqualFold(first, "noon") && strings.TrimSpace(rest) != "" {
		if m, ok := r.parse(l.When + " at noon"); ok && m.Timed { // Noon yoga on Sunday
			l.When, l.Moment, l.Timed, l.Guessed = l.When+" at noon", m, true, first
			return rest, after
		}
	}
	for _, side := range []*string{&after, &before} {
		from, to, m := r.phraseBeside(*side, l.Moment.Timed)
		if to == 0 || m.Timed == l.Moment.Timed || m.Offset || m.Period || l.Moment.Period && !strings.HasSuffix(l.When, "から") {
			continue
		}
		day, when := m, (*side)[from:to]+" "+l.When
		if m.Timed {
			day, when = l.Moment, l.When+" "+(*side)[from:to]
		}
		both, ok := r.parse(strings.TrimPrefix(when, "on "))
		y, month, d := both.Wall.Date()
		if !ok || !both.Timed || !day.Wall.Equal(time.Date(y, month, d, 0, 0, 0, 0, time.UTC)) {
			continue
		}
		l.When, l.Moment, l.Timed, r.taken = when, both, true, (*side)[from:to]
		lead, _, deadline := cutDeadline((*side)[:from], "") // Thursday before 9am
		l.Deadline = deadline
		*side = strings.TrimRight(lead, " ") + (*side)[to:]
		return before, after
	}
	return before, after
}

// lengthForm matches a length that stands alone: for 45 min, 90分.
var lengthForm = lazyregexp.New(`(?i)(?:^|[ 、])((for )?(\d{1,3} ?(?:min(?:ute)?s?|h(?:ou)?rs?|分間?|時間半?)))(?:$|[ ,、])`)

// takeLength cuts the length of an event off what stands around its time: call mum tomorrow 3pm, 45 min. Without "for"
// it may belong to the title.
func (r *reader) takeLength(l *Line, before, after string) (string, string) {
	for _, side := range []*string{&after, &before} {
		g := lengthForm.Get().FindStringSubmatchIndex(*side)
		if g == nil {
			continue
		}
		when := l.When + " for " + (*side)[g[6]:g[7]]
		m, ok := r.parse(when)
		if !ok || m.Length == 0 || !m.Wall.Equal(l.Moment.Wall) {
			continue
		}
		if g[4] < 0 {
			l.Guessed = (*side)[g[6]:g[7]]
		}
		l.When, l.Moment = when, m
		*side = (*side)[:g[2]] + strings.TrimLeft((*side)[g[3]:], " ,、")
		return before, after
	}
	return before, after
}

// phrase returns the place of the time phrase in a text; to is 0 without one.
func (r *reader) phrase(text string) (from, to int, m dates.Moment) {
	return r.phraseBeside(text, clockForm.Get().MatchString(text))
}

// phraseBeside is phrase for a text that may have a time of day beside it, which makes a short name such
// as Sat a day. The longest phrase counts, of equal ones the last.
func (r *reader) phraseBeside(text string, timed bool) (from, to int, m dates.Moment) {
	for p := range r.phrases(text, timed, true) {
		from, to, m = p.from, p.to, p.moment
	}
	return from, to, m
}

// place is a time phrase in a text.
type place struct {
	from, to int
	size     int // in characters
	moment   dates.Moment
}

// phrases returns the parts of a text that are time phrases, or of them those that are no shorter than one before.
func (r *reader) phrases(text string, timed, longest bool) iter.Seq[place] {
	return func(yield func(place) bool) {
		least := 0
		at := borders(text)
		for i, a := range at {
			size, b := 0, a
			for _, next := range at[i+1:] {
				size += utf8.RuneCountInString(text[b:next])
				if b = next; size > maxPhrase {
					break
				}
				part := text[a:b]
				if size < least || !mayBeTime(part) && !isWeekday(text, a, b, timed) || endsInWord(part, text[b:]) || endsOpen(part) {
					continue
				}
				m, ok := r.parse(part)
				if !ok || m.Wall.Year() > r.now.Year()+farYears || isTopic(part, text[:a], text[b:], m) || r.isNounsPart(part, text[:a], text[b:], m) {
					continue
				}
				if longest {
					least = size
				}
				if !yield(place{a, b, size, m}) {
					return
				}
			}
		}
	}
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
	case m.Period && !strings.HasPrefix(core, "week ") && (strings.HasSuffix(lead, "the ") || strings.HasSuffix(core, "の") ||
		strings.HasPrefix(next, "の")):
		return true
	case strings.HasSuffix(lead, "about the "):
		return true
	case strings.HasSuffix(lead, "the ") && anyWeekday.Get().MatchString(core) && !isFunction(strings.Trim(next, ",.;:")):
		return !m.Timed // the Monday report
	case strings.HasSuffix(lead, "the ") && m.Timed && m.End == nil && clockForm.Get().MatchString(core) && !isFunction(strings.Trim(next, ",.;:")):
		return true // the 1 pm crash
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
func (r *reader) isNounsPart(part, before, after string, m dates.Moment) bool {
	first, rest, _ := strings.Cut(part, " ")
	if !slices.Contains([]string{"morning", "afternoon", "evening", "night"}, strings.ToLower(first)) || !m.Timed ||
		isFunction(strings.ToLower(before[strings.LastIndexByte(strings.TrimRight(before, " "), ' ')+1:])) {
		return false
	}
	alone, ok := r.parse(rest)
	return ok && (alone.Timed && alone.Wall.Equal(m.Wall) || clockForm.Get().MatchString(after))
}

// endsInWord reports whether a phrase ends with the beginning of a word: 9時に朝|会.
func endsInWord(part, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	last, size := utf8.DecodeLastRuneInString(part)
	before, _ := utf8.DecodeLastRuneInString(part[:len(part)-size])
	if last == '日' && next == '本' || last == '時' && next == '間' { // 昭和の日|本史, 2時|間
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
	if rest, ok := strings.CutPrefix(low, "of "); ok && strings.Trim(rest, "0123456789") == "" {
		return false // photos of 1830
	}
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
	for _, word := range []string{"締め切り", "しめきり", "締切", "〆切", "〆", "必着", "期限"} {
		if rest, ok := strings.CutSuffix(strings.TrimRight(before, " は:："), word); ok {
			return rest, after, true
		}
	}
	for _, word := range []string{"までに", "まで", "締め切り", "締切", "〆切", "必着"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(after, " "), word); ok {
			return before, rest, true
		}
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(after, " "), "〆")
	alone := rest == "" || rest[0] == ' ' // else behind a space it begins the title: 金曜 〆のラーメン
	if ok && (alone || after[0] != ' ' && !strings.HasPrefix(rest, "鯖") && !strings.HasPrefix(rest, "さば")) {
		return before, rest, true
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
	if strings.HasSuffix(before, " ") {
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
	for _, particle := range []string{"からの", "から", "発の", "着の", "発 ", "着 ", "には", "では", "に", "の", "は", "で", "、"} {
		if rest, ok := strings.CutPrefix(text, particle); ok {
			return strings.TrimLeft(rest, "、, ")
		}
	}
	return text
}

// isWide reports whether a character needs no blanks around words. One that stands for hidden words does.
func isWide(r rune) bool { return r >= 0x3000 && r < firstHidden }
