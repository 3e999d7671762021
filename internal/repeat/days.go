package repeat

import (
	"slices"
	"strings"
	"time"

	"techo/internal/dates"
)

// nthDay reads days by their number in a month, and that month: first and third monday, last
// working day, 1st and 15th of each month, second sunday of may.
func nthDay(p *reader) bool {
	n := p.ordinals()
	if len(n) == 0 {
		return false
	}
	r := &p.r
	if r.Unit != Yearly {
		r.Unit = Monthly
	}
	days, _, named := p.weekdays()
	switch {
	case named:
		r.Nth, r.Days = n, days
	case p.isWorkday():
		r.SetPos, r.Days = n[0], workdays()
		if len(n) > 1 {
			return false
		}
	default:
		r.MonthDays = n
		if p.word("day", "days") == "" && slices.Contains(n, -1) {
			return false
		}
	}
	p.ofMonth()
	return p.fits() && (r.Unit == Monthly || r.Month != 0)
}

// ordinals cuts a list of ordinals off: first and third, 1st, 15th and last.
func (p *reader) ordinals() (all []int) {
	p.word("the")
	for p.try(func(p *reader) bool {
		if len(all) > 0 && p.sign(", and", ",", "/", "& ") == "" && p.word("and") == "" {
			return false
		}
		p.word("the")
		n := p.ordinal()
		if n != 0 {
			all = append(all, n)
		}
		return n != 0
	}) {
		continue
	}
	return all
}

// ofMonth reads the month of a day: of the month, of each quarter, of may.
func (p *reader) ofMonth() {
	r := &p.r
	p.try(func(p *reader) bool {
		if p.word("of", "in") == "" {
			return false
		}
		if m := p.month(); m != 0 {
			if r.Unit == Monthly && r.Every > 1 {
				return false // every three months is not each July
			}
			r.Unit, r.Month = Yearly, m
			p.plain = p.word("every year", "each year", "yearly", "annually") != "" || p.plain
			return true
		}
		p.of = theMonth
		each := p.word("every", "each", "a", "any") != ""
		if each {
			p.of, p.plain = eachMonth, true
		}
		if !each && p.word("the") == "" && p.s != "month" {
			return false
		}
		if n := p.interval(); n > 1 {
			r.Every = n
		}
		if p.word("quarter") != "" {
			r.Every = 3
			return true
		}
		return p.word("month", "months") != ""
	})
}

// monthDays reads days of the month without an ordinal: 15, day 15, 1 and 15.
func (p *reader) monthDays() bool {
	p.word("day", "days")
	for {
		n := p.number()
		if n == 0 {
			return false
		}
		p.r.MonthDays = append(p.r.MonthDays, n)
		if p.sign(",", "& ") == "" && p.word("and") == "" {
			return true
		}
	}
}

// monthEnd reads the end or the beginning of a month: end of each month, every month end.
func monthEnd(p *reader) bool {
	p.word("at", "on")
	p.word("the")
	p.r.Unit = Monthly
	if p.word("month end", "month-end", "monthend") != "" {
		p.r.MonthDays = []int{-1}
		return true
	}
	switch {
	case p.word("end") != "":
		p.r.MonthDays = []int{-1}
	case p.word("beginning", "start") != "":
		p.r.MonthDays = []int{1}
	default:
		return false
	}
	if p.r.Every != 0 && p.word("of") == "" {
		return true // monthly, at the end
	}
	p.word("of")
	p.word("the")
	p.plain = p.word("every", "each") != "" || p.plain
	return p.word("month") != ""
}

// holiday reads a holiday with a rule of its own: every thanksgiving, 毎年クリスマス.
func (p *reader) holiday() bool {
	h, size := dates.Holiday(p.s)
	if size == 0 {
		return false
	}
	p.s = strings.TrimLeft(p.s[size:], " ")
	p.r.Unit, p.r.Month = Yearly, h.Month
	if h.Nth == 0 {
		p.r.MonthDays = []int{h.Day}
		return true
	}
	p.r.Nth, p.r.Days = []int{h.Nth}, []time.Weekday{h.Weekday}
	return true
}
