package repeat

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/dates"
	"techo/internal/lazyregexp"
)

// maxText is the length of the longest text that is read, in bytes.
const maxText = 150

// Find reads the repetition in a text, such as "every monday 7am". rest is what remains: the time.
func Find(text string) (r Rule, rest string, ok bool) {
	if len(text) > maxText {
		return r, "", false
	}
	s := normalize(text)
	s, span := cutSpan(s)
	s, out := cutException(s)
	s, count, until := cutEnd(s)
	m, ok := match(s, true)
	if !ok && out.bare { // 日曜以外 9時
		m.rule, ok = Rule{Every: 1, Implied: true}, true
	}
	if !ok {
		return r, "", false
	}
	r, rest = m.rule, tidy(s[:m.from]+" "+s[m.to:])
	if more, found := match(rest, false); found && more.rule.Unit == Weekly && len(r.Days)+len(r.MonthDays) == 0 &&
		(r.Unit == Weekly || r.Unit == Daily && r.Every == 1) { // every day 9:00 mon-fri
		r.Unit, r.Days = Weekly, more.rule.Days
		rest = tidy(rest[:more.from] + " " + rest[more.to:])
	}
	if r.Except = out.days; !r.leaveOut(out.weekdays) {
		return r, "", false
	}
	if r.During, rest = r.cutDuring(rest); r.During != "" {
		rest = tidy(rest)
	}
	if until == "" {
		until, rest = cutUntil(rest)
	}
	if rest == "" {
		until, rest = cutClock(until)
	}
	if r.Count, r.Until = count, until; span.N > 0 {
		if count > 0 {
			return r, "", false
		}
		if r.For = span; span.Unit == r.Unit && len(r.Days)+len(r.MonthDays) < 2 && span.N%r.Every == 0 {
			r.Count, r.For = span.N/r.Every, Period{}
		}
	}
	return r, withPart(m.part, rest), true
}

// untilForm matches the last day of a repetition in any words of Japanese: クリスマスまで.
var untilForm = lazyregexp.New(`^([^ ,a-z~-]+?)(?:いっぱい)?まで[にはの]?(?:[ ,](.*))?$`)

// cutUntil cuts the last day of a repetition off what remains of a text.
func cutUntil(rest string) (until, after string) {
	m := untilForm.Get().FindStringSubmatch(rest)
	if m == nil || strings.Contains(m[1], "から") {
		return "", rest
	}
	return m[1], m[2]
}

// cutClock cuts the time of day off the last day of a repetition that has none itself: until friday
// 8am.
func cutClock(until string) (day, clock string) {
	for i, c := range until {
		if c == ' ' {
			clock = strings.TrimPrefix(until[i+1:], "at ")
			if _, ok := dates.Clock(clock); ok {
				return until[:i], clock
			}
		}
	}
	return until, ""
}

// Repeats reads a text that is known to be a repetition, in which a day may stand for each of its
// kind: monday, the 15th, 月曜, 5月3日.
func Repeats(text string) (r Rule, rest string, ok bool) {
	if r, rest, ok = Find(text); ok {
		r.Implied = false
		return r, rest, true
	}
	s := normalize(text)
	for _, longer := range []string{"on the " + s + " of every month", "every " + s, "毎週" + s, "毎月" + s,
		"毎年" + s} {
		r, rest, ok = Find(longer)
		if ok && len(r.Days)+len(r.MonthDays) > 0 {
			return r, rest, true
		}
	}
	return Rule{}, "", false
}

// found is a repetition and its place in a text.
type found struct {
	rule     Rule
	part     string // of the day
	from, to int
}

// match returns the first repetition in a text in lower case. One that a word names comes before
// one that only a list of days shows.
func match(s string, named bool) (best found, ok bool) {
	before := ' '
	for i, c := range s {
		if c >= utf8.RuneSelf || !wordRune(before) {
			p := &reader{s: s[i:], before: before}
			if (p.english() || p.japanese()) && p.fits() && (p.plain || !ok) && p.plain == named {
				return p.found(s, i), true
			}
		}
		before = c
	}
	if named {
		return match(s, false)
	}
	return best, false
}

func (p *reader) found(s string, from int) found {
	p.r.Every = max(p.r.Every, 1)
	p.r.Implied = !p.plain
	return found{p.r, p.part, from, len(strings.TrimRight(s[:len(s)-len(p.s)], " ,"))}
}

// wordRune reports whether a character is a letter or a digit of English.
func wordRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

// normalize returns a text in lower case, with narrow digits and single blanks.
func normalize(text string) string {
	s := strings.ToLower(norm.NFKC.String(text))
	s = strings.NewReplacer("、", ",", "・", ",", "&", " and ", "–", "-", "—", "-").Replace(s)
	s = " " + strings.Join(strings.Fields(s), " ")
	s = strings.NewReplacer(" each ", " every ", " everyday", " every day").Replace(s)
	return strings.TrimSpace(s)
}

// tidy removes what joins a repetition and a time.
func tidy(rest string) string {
	rest = strings.Trim(rest, " ,;")
	for _, joint := range []string{"at ", "from ", "に", "の", "は"} {
		after, ok := strings.CutPrefix(rest, joint)
		if ok && (joint != "at " || strings.Trim(after, "0123456789") != "") { // 9 alone is no time
			rest = after
		}
	}
	if g := hoursForm.Get().FindStringSubmatch(rest); g != nil && strings.Count(rest, ":") < 2 {
		rest = "from " + g[1] + " to " + g[2]
	}
	for _, part := range []string{"morning", "afternoon", "evening", "night"} {
		rest = strings.Replace(rest, part+"s", part, 1)
	}
	for _, joint := range []string{" at", " on", "に", "の", "を"} {
		rest = strings.TrimSuffix(rest, joint)
	}
	return strings.Join(strings.Fields(strings.Trim(rest, " ,;")), " ")
}

// hoursForm matches two hours, which beside a repetition are no month and day: 9-17.
var hoursForm = lazyregexp.New(`^(?:from )?(\d{1,2}(?::\d{2})?) ?(?:-|~|to) ?(\d{1,2}(?::\d{2})?)$`)

// withPart adds the part of the day that a repetition names to the time beside it.
func withPart(part, rest string) string {
	if part == "" {
		return rest
	}
	switch rest = strings.TrimPrefix(rest, "at "); {
	case rest == "" || part[0] >= utf8.RuneSelf:
		return part + rest
	case part == "night":
		return rest + " at night"
	}
	return rest + " in the " + part
}

// endForms match the end of a repetition: the first ones a day, the others a number of times.
var endForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`,? ?\b(?:until|till|through) (.+)$`),
		regexp.MustCompile(`,?((?:今|来|再来|翌)?[0-9年月日週/-]*[0-9年月日週末内]|` +
			`(?:(?:今|来|再来)週の?|次の|今度の)?[日月火水木金土]曜日?)(?:いっぱい)?まで,?`),
		regexp.MustCompile(`,? ?(?:\bfor )?\b(\d{1,3}) (?:times|occurrences)\b`),
		regexp.MustCompile(`,?[全計]?(\d{1,3})回`),
	}
})

var spanForm = lazyregexp.New(`,? ?(?:\bfor (?:the next )?(\d{1,3}|an?|one|two|three|four|five|six|eight|ten|twelve) ` +
	`(day|week|month|year)s?\b|(\d{1,3})(日|週|[かヶケカヵ]月|年)間(?:[^にごお毎]|$))`)

// cutSpan cuts the time for which something repeats off: weekly for 6 weeks.
func cutSpan(s string) (rest string, p Period) {
	m := spanForm.Get().FindStringSubmatchIndex(s)
	if m == nil {
		return s, p
	}
	n, unit, end := 2, 4, m[1]
	if m[n] < 0 {
		n, unit, end = 6, 8, m[9]+len("間")
	}
	p = Period{max(number(s[m[n]:m[n+1]]), 1), unitOf(s[m[unit]:m[unit+1]])}
	return strings.TrimSpace(s[:m[0]] + " " + s[end:]), p
}

// unitOf returns the unit that a word means; any word for months will do.
func unitOf(word string) Unit {
	switch {
	case word == "day", word == "日":
		return Daily
	case word == "year", word == "年":
		return Yearly
	case strings.HasPrefix(word, "week"), strings.HasPrefix(word, "週"):
		return Weekly
	}
	return Monthly
}

// cutEnd cuts the end of a repetition off: until a day, or so many times.
func cutEnd(s string) (rest string, count int, until string) {
	const days = 2 // of the forms
	for i, f := range endForms() {
		m := f.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		value := s[m[2]:m[3]]
		if partOfRule(s[:m[0]], value) {
			continue
		}
		if i < days {
			until = value
		} else {
			count, _ = strconv.Atoi(value)
		}
		s = strings.TrimSpace(s[:m[0]] + " " + s[m[1]:])
	}
	return s, count, until
}

// partOfRule reports whether what looks like an end belongs to the days: 月曜から金曜まで, monday
// through thursday, 週に1回.
func partOfRule(before, value string) bool {
	day := func(s string) bool {
		_, _, ok := (&reader{s: s}).weekday()
		return ok
	}
	for _, end := range []string{"から", "に", "週", "月", "年", "1日"} {
		if rest, ok := strings.CutSuffix(before, end); ok && !strings.HasSuffix(rest, "毎") {
			return true
		}
	}
	return day(value) && day(before[strings.LastIndexAny(before, " ,")+1:])
}

// number reads a number of one to three digits or in words; 0 for none.
func number(text string) int {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if i := slices.Index(englishNumbers(), text); i >= 0 {
		return i + 1
	}
	return 1 + slices.Index(strings.Split("一二三四五六七八九", ""), text)
}

// Span returns the first repetition in a text and its place. It finds none in a text whose letters
// change their size in lower case.
func Span(text string) (r Rule, from, to int, ok bool) {
	s := strings.ToLower(text)
	if len(text) > maxText || len(s) != len(text) {
		return r, 0, 0, false
	}
	m, ok := match(s, true)
	return m.rule, m.from, m.to, ok
}

// Lack is what a repetition in words leaves open.
type Lack int

// The lacks.
const (
	NoLack    Lack = iota
	Times          // three times a day
	Weekdays       // twice a week
	MonthDays      // twice a month
	YearDays       // twice a year
	OneTime        // every day at 8:00 and 20:00: a rule has one time
	Holidays       // every weekday but holidays: a rule knows none
	Hours          // every 30 minutes: the shortest period is an hour
)

var vagueForms = sync.OnceValue(func() []*regexp.Regexp {
	const several = `(?:twice|thrice|(?:\d{1,2}|two|three|four|five|six|several|a few|a couple of|many) times)`
	return []*regexp.Regexp{
		regexp.MustCompile(`\b` + several + ` ?(?:a|an|per|every|in a)? ?(day|daily|week|month|year)(?:ly)?\b`),
		regexp.MustCompile(`\bevery (?:\d{1,3} )?(minute)s?\b|\d{1,3}(分|秒)(?:毎|ごと|おき|に1回)`),
		regexp.MustCompile(`(日|週|月|年)(?:間)?に?(?:[2-9２-９]|[二三四五六七]|数)(?:[回度]|$)`),
	}
})

// clocksForm matches two times of day.
var clocksForm = sync.OnceValue(func() *regexp.Regexp {
	const clock = `\d{1,2}(?::\d{2}|時半?|時\d{1,2}分| ?[ap]m)`
	return regexp.MustCompile(clock + ` ?(?:,|and|と|、)[^,0-9]{0,14}` + clock + `|\bat \d{1,2} ?(?:,|and) ?` + clock)
})

// Lacking returns what the words of a repetition leave open: twice a week does not say on which days.
func Lacking(text string) Lack {
	if len(text) > maxText {
		return NoLack
	}
	s := normalize(text)
	for _, f := range vagueForms() {
		m := f.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		switch m[1] {
		case "minute", "":
			return Hours
		case "day", "daily", "日":
			return Times
		case "week", "週":
			return Weekdays
		case "month", "月":
			return MonthDays
		}
		return YearDays
	}
	if clocksForm().MatchString(s) {
		return OneTime
	}
	if strings.Contains(s, "holiday") || strings.Contains(s, "祝") {
		return Holidays
	}
	return NoLack
}

// Period is a number of days, weeks, months or years.
type Period struct {
	N    int
	Unit Unit
}

// afterForms match a time after something was done: 3 days after it was done, 完了の3日後. The groups are a
// number and a unit.
var afterForms = sync.OnceValue(func() []*regexp.Regexp {
	const done = `(?:done|completed|finished|completion|completing(?: it)?|doing(?: it)?|finishing(?: it)?)`
	return []*regexp.Regexp{
		regexp.MustCompile(`^(?:every )?(?:(\d{1,3}|an?|[a-z]+) )?(day|week|month|year)s? after ` +
			`(?:(?:it|i)(?: is| was|'s| has been)? |each |the last |last |being )?(?:` + done + `|did it)(?: it)?$`),
		regexp.MustCompile(`^(?:(?:完了|終了|実施)日?|` +
			`(?:(?:完了|終了|実施)?し|やっ|終わっ)(?:た日|て|た)|` +
			`済んで|済んだ日|(?:完了|終了|実施)後)(?:の|から|に)?` +
			`(\d{1,3}|[一二三四五六七八九])(日|週間?|[かヶケカ箇]月|年)後?$`),
	}
})

// AfterDone reads a repetition that counts from the day on which something was done.
func AfterDone(text string) (p Period, ok bool) {
	if len(text) > maxText {
		return p, false
	}
	s := normalize(text)
	for _, f := range afterForms() {
		g := f.FindStringSubmatch(s)
		if g == nil || g[1] == "" && !strings.HasPrefix(s, "every ") {
			continue
		}
		n := number(g[1])
		if g[1] == "" || g[1] == "a" || g[1] == "an" {
			n = 1
		}
		return Period{n, unitOf(g[2])}, n > 0
	}
	return p, false
}
