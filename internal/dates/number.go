package dates

import (
	"strconv"
	"strings"

	"techo/internal/lazyregexp"
)

var (
	yearFirst = lazyregexp.New(`^(?:(\d{4})([-/.])(\d{1,2})(?:([-/.])(\d{1,2}))?(t?))`)
	dayFirst  = lazyregexp.New(`^(?:(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4}))`)
	shortYear = lazyregexp.New(`^(?:(0?[1-9]|1[0-2])/(\d{1,2})/(\d{2}))`)
	slashed   = lazyregexp.New(`^(?:(\d{1,2})/(\d{1,2}))`)
	compact   = lazyregexp.New(`^(?:(\d{4})(\d{2})(\d{2})(t?))`)
	isoWeek   = lazyregexp.New(`^(?:(\d{4})-?w(\d{2})(?:-?([1-7]))?)`)
	quarter   = lazyregexp.New(`^(?:(?:(\d{4})[- ]?)?q([1-4])(?: ?(\d{4}))?)`)
	namedDay  = lazyregexp.New(`^(?:(\d{1,2})-([a-z]{3,9})(?:-(\d{4}))?)`)
)

// numericDate parses a date in digits.
func (p *scanner) numericDate() bool {
	if p.in.s == "" || !digit(p.in.s[0]) && p.in.s[0] != 'q' {
		return false
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	size := 0
	if m := p.in.match(yearFirst); m != nil && (m[5] == "" && m[6] == "" || m[2] == m[4]) {
		p.said.date(number(m[1]), number(m[3]), number(m[5]), m[5] != "")
		p.wantsTime = m[6] != ""
		size = len(m[0])
	} else if m := p.in.match(dayFirst); m != nil && m[2] == m[4] {
		p.said.setYear(number(m[5]))
		if p.said.words = true; m[2] == "." {
			p.said.date(0, number(m[3]), number(m[1]), true)
		} else {
			p.said.monthDay(m[0], number(m[1]), number(m[3]))
		}
		size = len(m[0])
	} else if m := p.in.match(shortYear); m != nil {
		p.said.setYear(2000 + number(m[3]))
		p.said.monthDay(m[0], number(m[1]), number(m[2]))
		size = len(m[0])
	} else if m := p.in.match(isoWeek); m != nil {
		p.said.setYear(number(m[1]))
		p.said.set(&p.said.isoWeek, number(m[2]))
		p.said.isoDay, p.said.words = number(m[3]), true
		p.said.bad = p.said.bad || p.said.isoWeek < 1 || p.said.isoWeek > 53
		size = len(m[0])
	} else if m := p.in.match(compact); m != nil {
		p.said.date(number(m[1]), number(m[2]), number(m[3]), true)
		p.wantsTime = m[4] != ""
		size = len(m[0])
	} else if m := p.in.match(slashed); m != nil {
		p.said.monthDay(m[0], number(m[1]), number(m[2]))
		size = len(m[0])
	} else if m := p.in.match(namedDay); m != nil {
		t, ok := terms()[m[2]]
		if !ok || t.kind != nameTerm {
			return false
		}
		p.said.date(number(m[3]), t.n, number(m[1]), true)
		p.said.words, size = true, len(m[0])
	} else if m := p.in.match(quarter); m != nil && (m[1] == "" || m[3] == "") {
		if m[1]+m[3] != "" {
			p.said.setYear(number(m[1] + m[3]))
		}
		p.said.set(&p.said.quarter, number(m[2]))
		p.said.words, size = true, len(m[0])
	} else {
		return false
	}
	p.in.s = p.in.s[size:]
	return true
}

// kanji matches a numeral.
const kanji = "[〇零一二三四五六七八九十]"

var (
	colons = lazyregexp.New(`^(?:(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)`)
	hours  = lazyregexp.New(`^(?:(\d{1,2}|` + kanji + `{1,3})(?:時|h)` +
		`(?:半|(\d{1,2}|` + kanji + `{1,3})(?:分(?:(\d{1,2})秒)?)?)?)`)
	bareHour      = lazyregexp.New(`^(?:(\d{1,2})(?:\.(\d{2}))?)`)
	squeezed      = lazyregexp.New(`^(?:(\d{2})(\d{2})(?:(\d{2})|z)?)`)
	meridiem      = lazyregexp.New(`^(?:( ?a\.?m\.?| ?p\.?m\.?|[ap]))`)
	military      = lazyregexp.New(`^(?:([01]\d|2[0-4])([0-5]\d) ?(?:hours|hrs|h))`)
	halfPast      = lazyregexp.New(`^(half past|half|quarter past|quarter to|quarter of)() (\d{1,2}|[a-z]+)(?::00)?`)
	meridiemFirst = lazyregexp.New(`^[ap]m\d`)
	fewPast       = lazyregexp.New(`^(five|ten|twenty|twenty[- ]five|\d{1,2} minutes?) (past|to) (\d{1,2}|[a-z]+)(?::00)?(?: |$)`)
)

// timeText parses a time of day.
func (p *scanner) timeText() bool {
	before := p.in.s
	var c clock
	switch {
	case strings.HasPrefix(p.in.s, "午前中"), strings.HasPrefix(p.in.s, "午後イチ"),
		strings.HasPrefix(p.in.s, "午後一") && !strings.HasPrefix(p.in.s, "午後一時"):
		return false
	case p.in.take("午前", "am "):
		c.meridiem = 'a'
	case p.in.take("午後", "pm "):
		c.meridiem = 'p'
	case meridiemFirst.Get().MatchString(p.in.s): // PM3:00
		c.meridiem, p.in.s = p.in.s[0], p.in.s[len("pm"):]
	}
	if !p.readClock(&c) {
		if p.in.s = before; p.in.take("午前") {
			p.said.setPart(morning, "午前")
			return true
		}
		if p.in.take("午後") {
			p.said.setPart(afternoon, "午後")
			return true
		}
		return false
	}
	c.text = strings.TrimSpace(before[:len(before)-len(p.in.s)])
	p.said.bad = p.said.bad || p.said.clock.set || !c.valid()
	c.set, p.wantsTime = true, false
	p.said.clock = c
	p.said.words = p.said.words || c.meridiem != 0 || c.bare || c.extended
	return true
}

// valid reports whether the numbers of a clock are in their ranges.
func (c *clock) valid() bool {
	most := 24
	if c.extended {
		most = 29
	}
	return c.hour <= most && c.minute <= 59 && c.second <= 59 &&
		(c.hour != 24 || c.extended || c.minute+c.second+c.nanosecond == 0) &&
		(c.meridiem == 0 || c.hour <= 12)
}

// eitherHalf reports whether an hour of the early morning may be one of the afternoon: 5:15, 2時, but not 05:15.
func (c *clock) eitherHalf() bool {
	return !c.bare && c.meridiem == 0 && c.hour >= 1 && c.hour <= 6 && !strings.HasPrefix(c.text, "0")
}

// readClock parses the numbers of a time of day and a meridiem behind them.
func (p *scanner) readClock(c *clock) bool {
	number := func(s string) int { n, _ := numberOf(s); return n }
	if p.halfPast(c) {
		c.bare = true
	} else if m := p.in.match(colons); m != nil {
		c.hour, c.minute, c.second = number(m[1]), number(m[2]), number(m[3])
		c.nanosecond = number((m[4] + "000000000")[:9])
		p.in.s = p.in.s[len(m[0]):]
	} else if m := hours.Get().FindStringSubmatch(p.in.s); m != nil && !strings.HasPrefix(p.in.s[len(m[0]):], "間") &&
		(!strings.HasSuffix(m[0], "h") || len(m[1]) == 2 && (p.in.s[len(m[0]):] == "" || !letter(p.in.s[len(m[0])]))) {
		c.hour, c.minute, c.second = number(m[1]), number(m[2]), number(m[3])
		if strings.HasSuffix(m[0], "半") {
			c.minute = 30
		}
		p.in.s, c.extended, p.said.words = p.in.s[len(m[0]):], c.hour >= 24 && strings.Contains(m[0], "時"), true
		if strings.HasSuffix(m[0], "分") && !strings.HasPrefix(p.in.s, "前後") && p.in.take("前") { // 6時15分前
			c.minute, c.before = 0, c.minute
			p.said.bad = p.said.bad || c.before > 59
		}
	} else if m := military.Get().FindStringSubmatch(p.in.s); m != nil {
		c.hour, c.minute = number(m[1]), number(m[2])
		p.in.s, p.said.words = p.in.s[len(m[0]):], true
	} else if m := squeezed.Get().FindStringSubmatch(p.in.s); m != nil &&
		(p.said.full && p.parts > 0 || p.afterAt || len(m[0]) == 4 && (m[0][0] == '0' || p.isClock(m[0]))) &&
		(len(m[0]) == len(p.in.s) || !digit(p.in.s[len(m[0])])) {
		c.hour, c.minute, c.second = number(m[1]), number(m[2]), number(m[3])
		p.in.s = p.in.s[len(m[0]):]
	} else if !p.plainHour(c) {
		return false
	}
	p.readMeridiem(c)
	return true
}

// isClock reports whether four digits are hours and minutes instead of a year: alone, or beside a day
// without one.
func (p *scanner) isClock(digits string) bool {
	n, _ := strconv.Atoi(digits)
	f := &p.said
	if n/100 > 23 || n%100 > 59 || f.clock.set {
		return false
	}
	relative := f.dayShift != nil || f.weekday != nil && f.month == 0
	if n >= 1900 && n < 2200 && !relative {
		return false
	}
	return relative || f.day != 0 && f.month != 0 || p.parts == 0 && len(p.in.s) == len(digits)
}

// plainHour parses an hour that only its surroundings show to be one: 3pm, at 3,
// 8 in the evening, 3 o'clock.
func (p *scanner) plainHour(c *clock) bool {
	m := bareHour.Get().FindStringSubmatch(p.in.s)
	if m == nil {
		return p.hourInWords(c)
	}
	rest := p.in.s[len(m[0]):]
	if r, ok := cutRoughly(rest); ok { // 5ish
		rest, p.afterAt = r, true
	}
	half := meridiem.Get().FindStringIndex(rest)
	half0 := half != nil && (half[1] == len(rest) || !letter(rest[half[1]]))
	c.hour, _ = strconv.Atoi(m[1])
	c.minute, _ = strconv.Atoi(m[2])
	switch {
	case rest != "" && (digit(rest[0]) || strings.ContainsAny(rest[:1], "/:-") ||
		m[2] != "" && len(rest) > 1 && rest[0] == '.' && digit(rest[1])):
		return false
	case half0 || c.meridiem != 0:
	case strings.HasPrefix(strings.TrimLeft(rest, " "), "o'clock"):
		rest = strings.TrimPrefix(strings.TrimLeft(rest, " "), "o'clock")
		c.bare = true
	case monthFollows(rest):
		return false
	case p.afterAt || p.said.part != 0 || partFollows(rest):
		c.bare = true
	case m[2] != "": // Friday 15.30
		c.dotted = true
	default:
		return false
	}
	p.in.s = rest
	return true
}

// cutRoughly cuts what makes an hour a rough one.
func cutRoughly(text string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimPrefix(text, "-"), "ish")
	return rest, ok && (rest == "" || !letter(rest[0]))
}

// hourInWords parses "five pm" and, behind "at", "five".
func (p *scanner) hourInWords(c *clock) bool {
	if p.in.s == "" || !letter(p.in.s[0]) {
		return false
	}
	q := p.in
	n, half, ok := q.count()
	if !ok || half || n < 1 || n > 12 || strings.HasPrefix(p.in.s, "a ") || strings.HasPrefix(p.in.s, "an ") {
		return false
	}
	m := meridiem.Get().FindString(q.s)
	if named := m != "" && (len(m) == len(q.s) || !letter(q.s[len(m)])); !named && (!p.afterAt || q.s != "") {
		return false
	}
	c.hour, c.bare, p.in.s = n, true, q.s
	return true
}

// partFollows reports whether a part of the day follows: "in the evening".
func partFollows(rest string) bool {
	q := cursor{s: strings.TrimLeft(rest, " ")}
	t, size := q.findTerm()
	return size > 0 && (t.kind == partTerm || t.kind == dayPartTerm) && letter(q.s[0])
}

// holidayFollows reports whether the name of a holiday follows.
func holidayFollows(rest string) bool {
	q := cursor{s: strings.TrimLeft(rest, " ")}
	t, size := q.findTerm()
	return size > 0 && (t.kind == holidayTerm || t.kind == feastTerm || t.kind == dateTerm)
}

// monthFollows reports whether the name of a month follows: "5 june", "5th of june".
func monthFollows(rest string) bool {
	q := cursor{s: strings.TrimPrefix(strings.TrimLeft(rest, " "), "of ")}
	t, size := q.findTerm()
	return size > 0 && t.kind == nameTerm
}

// pastHour are the minutes that words before an hour mean.
var pastHour = map[string]int{"half past": 30, "half": 30, "quarter past": 15, "quarter to": -15, "quarter of": -15,
	"five": 5, "ten": 10, "twenty": 20, "twenty five": 25, "twenty-five": 25}

// halfPast parses half past three, quarter to 5, ten past two and 5 minutes to 9.
func (p *scanner) halfPast(c *clock) bool {
	m := halfPast.Get().FindStringSubmatch(p.in.s)
	if m == nil {
		m = fewPast.Get().FindStringSubmatch(p.in.s)
	}
	if m == nil || p.said.clock.set {
		return false
	}
	minutes, named := pastHour[m[1]]
	if !named {
		minutes, _ = strconv.Atoi(strings.Fields(m[1])[0])
	}
	q := cursor{s: m[3]}
	n, _, ok := q.count()
	if !ok || q.s != "" || n < 1 || n > 12 || minutes > 59 {
		return false
	}
	if m[2] == "to" {
		minutes = -minutes
	}
	if minutes < 0 {
		n, minutes = (n+10)%12+1, 60+minutes
	}
	c.hour, c.minute = n, minutes
	p.in.s, p.said.words = p.in.s[len(m[0]):], true
	return true
}

// readMeridiem parses am or pm.
func (p *scanner) readMeridiem(c *clock) {
	m := meridiem.Get().FindStringSubmatch(p.in.s)
	if m == nil || c.meridiem != 0 {
		return
	}
	rest := p.in.s[len(m[0]):]
	if rest != "" && letter(rest[0]) {
		return
	}
	p.in.s, c.meridiem, c.bare = rest, strings.TrimLeft(m[1], " ")[0], false
	p.said.bad = p.said.bad || c.hour == 0
}

func numberOf(s string) (int, bool) {
	n, size := number(s)
	return n, size == len(s)
}

// partHour returns the hour from 0 to 12 of a clock in a part of the day. The hours
// after midnight of a night belong to the next day.
func partHour(part, h int) int {
	switch part {
	case daytime:
		if h < 10 {
			return h + 12
		}
	case afternoon, evening, earlyAfternoon:
		return h%12 + 12
	case night:
		if h >= 5 && h < 12 {
			return h + 12
		}
		return h%12 + 24
	case lateNight:
		if h >= 9 && h < 12 {
			return h + 12
		}
		return h%12 + 24
	}
	return h
}
