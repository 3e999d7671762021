package repeat

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// reader reads a repetition at the beginning of a text in lower case.
type reader struct {
	s      string // the rest
	before rune   // the character in front of the text
	r      Rule
	part   string // of the day: morning

	plain  bool // a word says that something repeats: every, daily, Mondays, 毎週
	plural bool // the last list of weekdays has plurals
	of     inMonth
}

// inMonth is how a text names the month of a day.
type inMonth int

const (
	noMonth   inMonth = iota
	theMonth          // of the month
	eachMonth         // of each month
)

// letter reports whether a byte belongs to an English word.
func letter(c byte) bool { return c >= 'a' && c <= 'z' }

// word cuts the first of some English words off the rest, with the blanks behind it.
func (p *reader) word(words ...string) string {
	for _, w := range words {
		rest, ok := strings.CutPrefix(p.s, w)
		if ok && (rest == "" || !letter(rest[0])) {
			p.s = strings.TrimLeft(rest, " ")
			return w
		}
	}
	return ""
}

// sign cuts the first of some texts off the rest, whatever follows.
func (p *reader) sign(signs ...string) string {
	for _, s := range signs {
		if rest, ok := strings.CutPrefix(p.s, s); ok {
			p.s = strings.TrimLeft(rest, " ")
			return s
		}
	}
	return ""
}

// try runs a part that reads all of its words or none.
func (p *reader) try(part func(*reader) bool) bool {
	before := *p
	if part(p) {
		return true
	}
	*p = before
	return false
}

// digits cuts a number of at most three digits off.
func (p *reader) digits() (n int) {
	size := 0
	for size < len(p.s) && p.s[size] >= '0' && p.s[size] <= '9' {
		size++
	}
	if size == 0 || size > 3 {
		return 0
	}
	n, _ = strconv.Atoi(p.s[:size])
	p.s = p.s[size:]
	return n
}

// number cuts a number off: 2, two.
func (p *reader) number() (n int) {
	ok := p.try(func(p *reader) bool {
		if n = p.digits(); n > 0 {
			ends := p.s == "" || !letter(p.s[0]) && !strings.ContainsAny(p.s[:1], ":/.")
			p.s = strings.TrimLeft(p.s, " ")
			return ends
		}
		n = number(p.word(englishNumbers()...))
		return n > 0
	})
	if !ok {
		return 0
	}
	return n
}

func englishNumbers() []string {
	return strings.Fields("one two three four five six seven eight nine ten eleven twelve")
}

// ordinal cuts an ordinal off: first, 2nd, last; 0 for none.
func (p *reader) ordinal() (n int) {
	ok := p.try(func(p *reader) bool {
		if n = p.digits(); n > 0 {
			return p.word("st", "nd", "rd", "th") != ""
		}
		if p.word("last") != "" {
			n = -1
			return true
		}
		words := strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")
		n = 1 + slices.Index(words, p.word(words...))
		return n > 0
	})
	if !ok {
		return 0
	}
	return n
}

// weekday cuts a weekday off: tue, Tuesdays. plural tells that the word means each of them.
func (p *reader) weekday() (d time.Weekday, plural, ok bool) {
	ends := [...][]string{{"sun"}, {"mon"}, {"tues", "tue"}, {"wednes", "weds", "wed"}, {"thurs", "thur", "thu"},
		{"fri"}, {"satur", "sat"}}
	for d, names := range ends {
		for _, name := range names {
			if p.word(name+"days", name+"day's") != "" {
				return time.Weekday(d), true, true
			}
			if p.word(name+"day", name) != "" {
				p.sign(". ")
				return time.Weekday(d), false, true
			}
		}
	}
	return 0, false, false
}

// weekdays cuts a list of weekdays off: mon, wed and fri; mon-fri; mwf. several tells that the list
// cannot mean one day.
func (p *reader) weekdays() (days []time.Weekday, several, ok bool) {
	if p.word("mwf", "m/w/f") != "" {
		return []time.Weekday{time.Monday, time.Wednesday, time.Friday}, true, true
	}
	if p.word("tth", "t/th", "tuth") != "" {
		return []time.Weekday{time.Tuesday, time.Thursday}, true, true
	}
	d, plural, ok := p.weekday()
	if !ok {
		return nil, false, false
	}
	days, p.plural = []time.Weekday{d}, plural
	p.try(func(p *reader) bool {
		if p.sign("-") == "" && p.word("to", "through", "thru", "till") == "" {
			return false
		}
		last, _, ok := p.weekday()
		if ok {
			days = from(d, last)
		}
		return ok
	})
	for p.try(func(p *reader) bool {
		for p.sign(",", "/", "+", "& ") != "" || p.word("and", "every", "on") != "" {
			continue
		}
		d, plural, ok := p.weekday()
		if ok {
			days, p.plural = append(days, d), p.plural || plural
		}
		return ok
	}) {
		continue
	}
	return tidyDays(days), p.plural || len(days) > 1, true
}

func from(first, last time.Weekday) (days []time.Weekday) {
	for d := first; ; d = (d + 1) % 7 {
		if days = append(days, d); d == last {
			return days
		}
	}
}

func tidyDays(days []time.Weekday) []time.Weekday {
	slices.Sort(days)
	return slices.Compact(days)
}

// month cuts the name of a month off; 0 for none.
func (p *reader) month() time.Month {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if p.word(name, name[:3]) != "" {
			p.sign(".")
			p.s = strings.TrimLeft(p.s, " ")
			return m
		}
	}
	if p.word("sept") != "" {
		return time.September
	}
	return 0
}

// date cuts a day of the year off: may 5, 5th of may. day is 0 for a month alone.
func (p *reader) date() (m time.Month, day int) {
	dayOf := func(p *reader) bool {
		if day = p.ordinal(); day <= 0 {
			day = p.number()
		}
		return day > 0
	}
	if m = p.month(); m != 0 {
		p.word("the")
		p.try(dayOf)
		return m, day
	}
	p.try(func(p *reader) bool {
		if !dayOf(p) {
			return false
		}
		p.word("of")
		m = p.month()
		return m != 0
	})
	return m, day
}

// isWorkday cuts a name of the days from Monday to Friday off.
func (p *reader) isWorkday() bool {
	return p.word("weekdays", "weekday", "workdays", "workday", "working days", "working day", "business days",
		"business day", "work days", "work day", "week days", "school days") != ""
}

func workdays() []time.Weekday { return from(time.Monday, time.Friday) }
