package dates

import (
	"strconv"
	"strings"
	"time"

	"techo/internal/lazyregexp"
)

// unit is a unit of time.
type unit int

const (
	_ unit = iota
	second
	minute
	hour
	dayUnit
	workday
	week
	month
	year
)

// amount is a number of units. Half units are possible for hours, days and years.
type amount struct {
	n    int
	half bool
	unit unit
	m    bool // the unit was written as m
}

// duration returns the length of an amount of hours, minutes or seconds.
func (a amount) duration() (time.Duration, bool) {
	one := map[unit]time.Duration{second: time.Second, minute: time.Minute, hour: time.Hour}[a.unit]
	d := time.Duration(a.n) * one
	if a.half {
		d += one / 2
	}
	return d, one > 0
}

// add adds an amount to a wall clock time or a day.
func (a amount) add(t time.Time, sign int) time.Time {
	n := sign * a.n
	switch a.unit {
	case dayUnit:
		return t.AddDate(0, 0, n)
	case workday:
		for n != 0 {
			t = t.AddDate(0, 0, sign)
			if d := t.Weekday(); d != time.Saturday && d != time.Sunday {
				n -= sign
			}
		}
		return t
	case week:
		return t.AddDate(0, 0, 7*n)
	case month:
		return addMonths(t, n)
	case year:
		if n *= 12; a.half {
			n += 6 * sign
		}
		return addMonths(t, n)
	}
	d, _ := a.duration()
	return t.Add(time.Duration(sign) * d)
}

// maxAmount limits numbers of units, so that results stay within four digits of a
// year.
const maxAmount = 99_999

// unitNames are the names of units. The longest name comes first.
var unitNames = []struct {
	unit  unit
	times int
	names []string
}{
	{second, 1, []string{"seconds", "second", "secs", "sec", "s", "秒間", "秒"}},
	{minute, 1, []string{"minutes", "minute", "mins", "min", "m", "分間", "分"}},
	{hour, 1, []string{"hours", "hour", "hrs", "hr", "h", "時間"}},
	{workday, 1, []string{"business days", "business day", "working days", "working day", "workdays", "workday",
		"weekdays", "営業日"}},
	{dayUnit, 1, []string{"days", "day", "d", "日間", "日"}},
	{week, 1, []string{"weeks", "week", "wks", "wk", "w", "週間", "週"}},
	{week, 2, []string{"fortnights", "fortnight"}},
	{month, 3, []string{"quarters", "quarter"}},
	{month, 1, []string{"months", "month", "mos", "mo", "か月間", "ヶ月間", "カ月間", "か月", "ヶ月",
		"カ月", "ヵ月", "ケ月", "箇月", "個月"}},
	{year, 1, []string{"years", "year", "yrs", "yr", "y", "年間", "年"}},
}

// shift parses a distance from now or from the rest of the text, or a length:
// +3d, in 2 hours, 3 days ago, a week from friday, 2時間後, for 30 minutes.
func (p *scanner) shift() bool {
	before := p.in.s
	done := p.signedShift() || p.namedShift()
	if !done {
		p.in.s = before
	}
	return done
}

func (p *scanner) signedShift() bool {
	sign := 0
	switch {
	case strings.HasPrefix(p.in.s, "+"), strings.HasPrefix(p.in.s, "-"):
		sign = map[byte]int{'+': 1, '-': -1}[p.in.s[0]]
		p.in.s = strings.TrimLeft(p.in.s[1:], " ")
		if p.in.s == "" || !digit(p.in.s[0]) {
			return false
		}
	case p.in.take("in", "あと"):
		sign, p.said.counted = 1, true
	case p.in.take("plus"):
		sign = 1
	case p.in.take("minus"):
		sign = -1
	case p.in.take("for"):
		all, ok := p.in.amounts()
		return ok && p.said.setLength(all)
	default:
		return false
	}
	all, ok := p.in.amounts()
	if !ok {
		return false
	}
	p.in.take("time", "'s time", "from now", "後")
	p.said.addShifts(all, sign)
	return true
}

func (p *scanner) namedShift() bool {
	if t, size := p.in.findTerm(); size == 0 || t.kind != dayTerm { // not "day after tomorrow"
		for i, name := range []string{"day after", "day before"} {
			if p.in.take(name) {
				p.said.addShifts([]amount{{n: 1, unit: dayUnit}}, 1-2*i)
				p.said.fromBase = true
				return true
			}
		}
	}
	all, ok := p.in.amounts()
	if !ok {
		return false
	}
	switch {
	case p.in.take("from now", "from today", "from this moment", "later", "hence", "後"):
		p.said.addShifts(all, 1)
		p.said.counted = true
	case p.in.take("ago", "earlier", "前"):
		p.said.addShifts(all, -1)
		p.said.counted = true
	case p.in.take("today"):
		p.said.addShifts(all, 1)
	case p.in.take("on"): // a week on Friday
		t, size := p.in.findTerm()
		p.said.addShifts(all, 1)
		p.said.fromBase = true
		return size > 0 && t.kind == weekdayTerm
	case p.in.take("from", "after"):
		p.said.addShifts(all, 1)
		p.said.fromBase = true
	case p.in.take("before"):
		p.said.addShifts(all, -1)
		p.said.fromBase = true
	case p.said.clock.set: // 15時から2時間
		return p.said.setLength(all)
	default:
		return false
	}
	return true
}

var lengthForm = lazyregexp.New(`^(?:(\d{1,4}(?:\.\d{1,2})?) ?(?:h|hours?|hrs?|時間)(半)?)?,? ?(?:and )?` +
	`(?:(\d{1,5}) ?(m|mins?|minutes?|分間?)?)?$`)

// Length parses a length of hours and minutes: 1h, 1h30, 1.5 hours, 90 minutes, 1時間半. A number
// without a unit is refused.
func Length(text string) (d time.Duration, ok bool) {
	if len(text) > maxText {
		return 0, false
	}
	s := normalize(text)
	switch s {
	case "half an hour", "half hour", "a half hour", "半時間":
		return 30 * time.Minute, true
	case "an hour", "one hour":
		return time.Hour, true
	case "an hour and a half", "one and a half hours", "one hour and a half":
		return 90 * time.Minute, true
	}
	m := lengthForm.Get().FindStringSubmatch(s)
	if m == nil || m[1] == "" && m[4] == "" || m[2] != "" && m[3] != "" {
		return 0, false
	}
	if m[1] != "" {
		hours, err := strconv.ParseFloat(m[1], 64)
		if d = time.Duration(hours * float64(time.Hour)).Round(time.Second); err != nil {
			return 0, false
		}
	}
	if m[2] != "" {
		d += 30 * time.Minute
	}
	minutes, _ := strconv.Atoi("0" + m[3])
	if m[1] != "" && minutes > 59 {
		return 0, false
	}
	return d + time.Duration(minutes)*time.Minute, true
}
