package dates

import (
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/lazyregexp"
)

// weekdayLetters are the weekdays of one character, from Sunday on.
const weekdayLetters = "日月火水木金土"

// parenthesized parses a weekday in parentheses, which confirms a date: (水), (Wed).
func (p *scanner) parenthesized() bool {
	inside, rest, ok := strings.Cut(strings.TrimPrefix(p.in.s, "("), ")")
	if !ok || p.in.s[0] != '(' {
		return false
	}
	inside = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(inside), "祝"), " ")
	d, ok := Weekday(inside)
	if i := strings.Index(weekdayLetters, inside); !ok && utf8.RuneCountInString(inside) == 1 && i >= 0 {
		d, ok = time.Weekday(i/3), true
	}
	if !ok || !p.said.hasDay() && len(p.said.shifts) == 0 {
		return false
	}
	p.said.setWeekday(d)
	p.in.s = rest
	return true
}

var (
	eraYear = lazyregexp.New(`^(?:(明治|大正|昭和|平成|令和|[mtshr])(元|\d{1,2}|` + kanji + `{1,3})` +
		`(?:年度?|[./](\d{1,2})[./](\d{1,2})))`)
	yearSign = lazyregexp.New(`^(?:(\d{4}|` + kanji + `{4})年)`)
	monthly  = lazyregexp.New(`^(?:(\d{1,2}|` + kanji + `{1,2})月)`)
	daily    = lazyregexp.New(`^(?:(\d{1,2}|` + kanji + `{1,3})日)`)
	nthForm  = lazyregexp.New(`^(?:第(\d|[一二三四五])|(?:最終|最後の?)[日月火水木金土]曜)`)
)

// era parses 令和8年, 2026年, 6月 and 10日.
func (p *scanner) era() bool {
	number := func(s string) int { n, _ := number(s); return n }
	if m := eraYear.Get().FindStringSubmatch(p.in.s); m != nil {
		n := number(m[2])
		if m[2] == "元" {
			n = 1
		}
		start := map[string]int{"明治": 1868, "m": 1868, "大正": 1912, "t": 1912, "昭和": 1926, "s": 1926,
			"平成": 1989, "h": 1989, "令和": 2019, "r": 2019}[m[1]]
		month := m[3] != "" || monthly.Get().MatchString(p.in.s[len(m[0]):])
		if strings.HasSuffix(m[0], "度") || letter(m[1][0]) && !month {
			return false // a fiscal year
		}
		p.said.words = true
		p.said.setYear(start + n - 1)
		p.said.bad = p.said.bad || n < 1
		if m[3] != "" {
			p.said.date(0, number(m[3]), number(m[4]), true)
		}
		p.in.s = p.in.s[len(m[0]):]
		return true
	}
	if m := yearSign.Get().FindStringSubmatch(p.in.s); m != nil && !strings.HasPrefix(p.in.s[len(m[0]):], "度") {
		p.said.setYear(number(m[1]))
		p.in.s = p.in.s[len(m[0]):]
		return true
	}
	if m := monthly.Get().FindStringSubmatch(p.in.s); m != nil && !strings.HasPrefix(p.in.s[len(m[0]):], "曜") {
		n := number(m[1])
		p.said.set(&p.said.month, n)
		p.said.bad = p.said.bad || n < 1 || n > 12
		p.in.s = p.in.s[len(m[0]):]
		return true
	}
	if m := daily.Get().FindStringSubmatch(p.in.s); m != nil && !strings.HasPrefix(p.in.s[len(m[0]):], "曜") &&
		!strings.HasPrefix(p.in.s[len(m[0]):], "間") {
		n := number(m[1])
		p.said.set(&p.said.day, n)
		p.said.bad = p.said.bad || n < 1 || n > 31
		p.said.full = p.said.hasYear && p.said.month != 0
		p.said.words = p.said.words || !p.said.full
		p.in.s = p.in.s[len(m[0]):]
		return true
	}
	if m := nthForm.Get().FindStringSubmatch(p.in.s); m != nil {
		n, size := -1, strings.LastIndex(m[0], "曜")-len("日") // 最終金曜
		if m[1] != "" {
			n, size = number(m[1]), len(m[0])
		}
		p.said.set(&p.said.nth, n)
		p.in.s, p.said.words = p.in.s[size:], true
		return true
	}
	return p.afterMonth()
}

// afterMonth parses the parts that follow a month, a year or a week in Japanese:
// 来月末, 6月上旬, 来週の水.
func (p *scanner) afterMonth() bool {
	for _, e := range japaneseEdges() {
		rest, ok := strings.CutPrefix(p.in.s, e.text)
		f := &p.said
		if !ok || !strings.HasPrefix(e.text, "月") && f.month == 0 && f.monthShift == nil && f.yearShift == nil &&
			!f.hasYear && (!e.ofWeek || f.weekShift == nil) {
			continue
		}
		p.said.set(&p.said.edge, e.edge)
		if strings.HasPrefix(e.text, "月") && p.said.month == 0 && p.said.monthShift == nil {
			p.said.setShift(&p.said.monthShift, 0)
		}
		p.in.s, p.said.edgeText, p.said.words = rest, e.text, true
		return true
	}
	if rest, ok := strings.CutPrefix(p.in.s, "週明け"); ok {
		p.in.s = rest
		p.said.setShift(&p.said.weekShift, 1)
		p.said.setWeekday(time.Monday)
		return true
	}
	if !p.said.clock.set && p.said.part == 0 && p.said.hasDay() && !strings.HasPrefix(p.in.s, "中旬") &&
		p.in.take("いっぱい", "中") { // 来週中, 今日中
		return true
	}
	r, size := utf8.DecodeRuneInString(p.in.s)
	if i := strings.IndexRune(weekdayLetters, r); i >= 0 && p.said.weekShift != nil && p.said.weekday == nil &&
		!strings.HasPrefix(p.in.s[size:], "曜") {
		p.in.s = p.in.s[size:]
		p.said.setWeekday(time.Weekday(i / 3))
		return true
	}
	return false
}

// word parses a word of the list of terms.
func (p *scanner) word() bool {
	t, size := p.in.findTerm()
	if size == 0 {
		return p.ordinal()
	}
	before, text := p.in.s, strings.TrimRight(p.in.s[:size], ".")
	p.in.s, p.said.words = strings.TrimLeft(p.in.s[size:], " "), true
	switch t.kind {
	case dayTerm:
		p.said.setShift(&p.said.dayShift, t.n)
		p.afterName = true
	case weekTerm:
		p.said.setShift(&p.said.weekShift, t.n)
	case monthTerm:
		p.said.setShift(&p.said.monthShift, t.n)
	case yearTerm:
		p.said.setShift(&p.said.yearShift, t.n)
	case weekdayTerm:
		p.said.setWeekday(time.Weekday(t.n))
		p.afterName = true
	case nameTerm:
		p.said.set(&p.said.month, t.n)
	case partTerm:
		p.said.setPart(t.n, text)
	case dayPartTerm:
		p.said.setShift(&p.said.dayShift, (t.n+10)/10-1)
		p.said.setPart((t.n+10)%10, text)
	case clockTerm:
		p.said.bad = p.said.bad || p.said.clock.set
		p.said.clock = clock{set: true, hour: t.n / 60, text: text, named: true}
	case nowTerm:
		p.said.now = true
	case edgeTerm:
		p.said.set(&p.said.edge, t.n)
		p.said.edgeText = text
		return p.edgeOf(text)
	case weekendTerm:
		p.said.weekend, p.said.edgeText = true, text
		p.said.setShift(&p.said.weekShift, t.n)
	case dateTerm:
		p.said.set(&p.said.month, t.n/100)
		p.said.set(&p.said.day, t.n%100)
	case holidayTerm:
		p.said.set(&p.said.month, t.n/100)
		p.said.setWeekday(time.Weekday(t.n / 10 % 10))
		p.said.set(&p.said.nth, t.n%10-1)
	case feastTerm:
		p.said.set(&p.said.feast, t.n)
	case nthTerm:
		p.in.s = before
		return p.ordinal()
	default:
		return p.modal(t.n, text)
	}
	return true
}

// modal parses what follows this, next, last or coming.
func (p *scanner) modal(mode int, text string) bool {
	step := map[int]int{thisMode: 0, nextMode: 1, comingMode: 1, lastMode: -1}[mode]
	if all, ok := p.in.amounts(); ok { // the last 7 days
		if len(all) != 1 || mode == thisMode || all[0].half || all[0].unit < dayUnit {
			return false
		}
		p.said.bad = p.said.bad || p.said.span != nil
		p.said.span, p.said.sign = &all[0], step
		return true
	}
	t, size := p.in.findTerm()
	switch {
	case size > 0 && t.kind == weekdayTerm && mode == lastMode && ofFollows(p.in.s[size:]):
		p.in.s = p.in.s[size:]
		p.said.setWeekday(time.Weekday(t.n))
		p.said.set(&p.said.nth, -1)
		p.ofTheMonth()
	case size > 0 && (t.kind == weekdayTerm || t.kind == nameTerm):
		name := p.in.s[:size]
		p.in.s = p.in.s[size:]
		if t.kind == weekdayTerm {
			p.said.setWeekday(time.Weekday(t.n))
			p.afterName = true
		} else {
			p.said.set(&p.said.month, t.n)
		}
		p.said.set(&p.said.mode, mode)
		p.said.modeText = text + " " + strings.TrimSpace(name)
	case p.in.take("week"):
		p.said.setShift(&p.said.weekShift, step)
	case p.in.take("month"):
		p.said.setShift(&p.said.monthShift, step)
	case p.in.take("year"):
		p.said.setShift(&p.said.yearShift, step)
	case text != "last" && p.in.take("day"):
		p.said.setShift(&p.said.dayShift, step)
	case p.in.take("quarter"):
		p.said.setShift(&p.said.quarterShift, step)
	case p.in.take("weekend", "週末"):
		p.said.weekend, p.said.edgeText = true, text+" weekend"
		p.said.setShift(&p.said.weekShift, step)
	default:
		return false
	}
	return true
}

// ofFollows reports whether a month follows: "last friday of june".
func ofFollows(rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	return strings.HasPrefix(rest, "of ") || strings.HasPrefix(rest, "in ")
}

// ofTheMonth parses what needs no other word: last friday of the month is the next such day.
func (p *scanner) ofTheMonth() {
	p.in.s = strings.TrimLeft(p.in.s, " ")
	p.in.take("of the month", "in the month")
}

// edgeOf parses the month, year or week of an edge, and sets the present month for
// "end of month".
func (p *scanner) edgeOf(text string) bool {
	switch text {
	case "eow":
		p.said.setShift(&p.said.weekShift, 0)
	case "eom":
		p.said.setShift(&p.said.monthShift, 0)
	case "eoq":
		p.said.setShift(&p.said.quarterShift, 0)
	case "eoy":
		p.said.setShift(&p.said.yearShift, 0)
	case "early", "mid", "late":
		p.in.s = strings.TrimPrefix(p.in.s, "-") // mid-July
	}
	p.in.take("the")
	switch {
	case p.in.take("this month", "month"):
		p.said.setShift(&p.said.monthShift, 0)
	case p.in.take("this year", "year"):
		p.said.setShift(&p.said.yearShift, 0)
	case p.in.take("this quarter", "quarter"):
		p.said.setShift(&p.said.quarterShift, 0)
	case p.in.take("this week", "week"):
		p.said.setShift(&p.said.weekShift, 0)
	}
	return p.in.s != "" || p.said.hasPeriod() || p.said.quarterShift != nil
}

// weekAfter parses what a week or two after a day has behind its name: Thursday week,
// Friday fortnight, tomorrow week.
func (p *scanner) weekAfter() bool {
	f := &p.said
	named := p.afterName && (f.weekday != nil) != (f.dayShift != nil && *f.dayShift >= 0)
	if t, size := p.in.findTerm(); !named || size > 0 && t.kind == weekTerm { // Monday week after next
		return false
	}
	weeks := 1
	if !p.in.take("week") {
		if weeks = 2; !p.in.take("fortnight") {
			return false
		}
	}
	f.addShifts([]amount{{n: weeks, unit: week}}, 1)
	f.fromBase, f.weekAfter = true, true
	return true
}

// ordinal parses the 15th, 1st monday, first of june.
func (p *scanner) ordinal() bool {
	n := 0
	if t, size := p.in.findTerm(); size > 0 && t.kind == nthTerm {
		n, p.in.s = t.n, strings.TrimLeft(p.in.s[size:], " ")
	} else {
		m, size := number(p.in.s)
		if size == 0 || size > 2 || len(p.in.s) < size+2 {
			return false
		}
		rest := p.in.s[size+2:]
		switch p.in.s[size : size+2] {
		case "st", "nd", "rd", "th":
		default:
			return false
		}
		if rest != "" && letter(rest[0]) {
			return false
		}
		n, p.in.s = m, strings.TrimLeft(rest, " ")
	}
	p.said.words = true
	if t, size := p.in.findTerm(); size > 0 && t.kind == weekdayTerm && (n <= 5 || ofFollows(p.in.s[size:])) {
		p.in.s = p.in.s[size:]
		p.said.setWeekday(time.Weekday(t.n))
		p.said.set(&p.said.nth, n)
		p.said.bad = p.said.bad || n > 5
		p.ofTheMonth()
		return true
	}
	p.in.take("day")
	p.said.set(&p.said.day, n)
	p.said.bad = p.said.bad || n < 1 || n > 31
	return true
}

// bareNumber parses a number whose meaning the words around it show: June 5, 5
// June, June 2026, at 15.
func (p *scanner) bareNumber() bool {
	n, size := number(p.in.s)
	if size == 0 || !digit(p.in.s[0]) {
		return false
	}
	rest := p.in.s[size:]
	if rest != "" && (letter(rest[0]) || strings.ContainsAny(rest[:1], "/:.-") || digit(rest[0])) {
		return false
	}
	switch {
	case size == 4 && n >= 1900 && n < 2200 &&
		(p.said.month != 0 || p.said.quarter != 0 || p.said.feast != 0 || monthFollows(rest) ||
			holidayFollows(rest) || rest == "" && p.parts == 0):
		p.said.setYear(n)
	case size <= 2 && p.said.day == 0 && (monthFollows(rest) || p.said.month != 0):
		p.said.set(&p.said.day, n)
		p.said.bad = p.said.bad || n < 1 || n > 31
	default:
		return false
	}
	p.in.s, p.said.words = rest, true
	return true
}
