package repeat

import (
	"slices"
	"time"
)

func (p *reader) english() bool {
	return p.try(everyRule) || p.try(adverb) || p.try(inMonths) || p.try(listed)
}

// everyRule reads what begins with every: every 2 weeks on tue, every first monday.
func everyRule(p *reader) bool {
	p.plain = true
	p.word("on", "at")
	if p.word("everyday") != "" {
		return p.period(0, "day")
	}
	once := p.word("once") != ""
	if p.word("every", "each") == "" && (!once || p.word("a", "per") == "") {
		return false
	}
	p.word("single")
	return p.try(everyNth) || p.try(everyPeriod) || p.try(everyDays) || p.try(dayOfYear) || p.try(monthEnd)
}

// everyNth reads every first monday, every 1st and 15th, every third week. Without "of the month",
// every second Monday is every other one, as most people mean it.
func everyNth(p *reader) bool {
	if p.try(func(p *reader) bool {
		n := p.ordinal()
		return n > 1 && p.period(n, p.unit()) && p.of == noMonth
	}) {
		return true
	}
	if !nthDay(p) {
		return false
	}
	if r := p.r; p.of == noMonth && r.Month == 0 && slices.Equal(r.Nth, []int{2}) {
		p.r = Rule{Unit: Weekly, Every: 2, Days: r.Days, Doubt: "every second"}
	}
	return true
}

// interval cuts how many periods one is off: 2, two, other; 1 for none.
func (p *reader) interval() int {
	if p.word("other", "second", "alternate") != "" {
		return 2
	}
	return max(p.number(), 1)
}

func everyPeriod(p *reader) bool {
	n := p.interval()
	return p.period(n, p.unit())
}

// unit cuts the name of a period off, "" for none.
func (p *reader) unit() string {
	if p.isWorkday() {
		return "workday"
	}
	for _, names := range [][]string{{"hour", "hours", "hourly"}, {"day", "days", "daily"}, {"weekend", "weekends"},
		{"week", "weeks", "weekly"}, {"fortnight", "fortnights", "fortnightly", "biweekly", "bi-weekly"},
		{"quarter", "quarters", "quarterly"}, {"half year", "half-year", "half yearly", "half-yearly", "semiannually",
			"semi-annually", "biannually", "twice yearly"}, {"year", "years", "yearly", "annually"},
		{"morning", "mornings"}, {"afternoon", "afternoons"}, {"evening", "evenings"}, {"night", "nights", "nightly"}} {
		if p.word(names...) != "" {
			return names[0]
		}
	}
	if p.try(func(p *reader) bool {
		return p.word("month", "months", "monthly") != "" && p.word("end") == "" && p.sign("-") == ""
	}) {
		return "month"
	}
	return ""
}

// period reads the days in a period of n units.
func (p *reader) period(n int, unit string) bool {
	r := &p.r
	r.Every = max(n, 1)
	switch unit {
	case "hour":
		r.Unit = Hourly
	case "day":
		r.Unit = Daily
	case "morning", "afternoon", "evening", "night":
		r.Unit, p.part = Daily, unit
		return true
	case "week":
		r.Unit = Weekly
	case "fortnight":
		r.Unit, r.Every = Weekly, 2*r.Every
	case "workday":
		r.Unit, r.Days = Weekly, workdays()
		return n <= 1
	case "weekend":
		r.Unit, r.Days = Weekly, []time.Weekday{time.Sunday, time.Saturday}
		return true
	case "month":
		r.Unit = Monthly
	case "quarter":
		r.Unit, r.Every = Monthly, 3*r.Every
	case "half year":
		r.Unit, r.Every = Monthly, 6*r.Every
	case "year":
		r.Unit = Yearly
	default:
		return false
	}
	return p.daysOf()
}

// daysOf reads the days in a period. Words for days that do not fit refuse the text.
func (p *reader) daysOf() bool {
	if p.try(func(p *reader) bool {
		p.sign(",")
		p.word("on", "in", "at")
		p.word("the")
		switch p.r.Unit {
		case Daily:
			return p.try(func(p *reader) bool {
				days, several, ok := p.weekdays()
				p.r.Unit, p.r.Days = Weekly, days
				return ok && several && p.r.Every == 1
			}) || p.r.Every == 1 && p.isWorkday() && p.setWorkdays()
		case Weekly:
			days, _, ok := p.weekdays()
			p.r.Days = days
			return ok || p.isWorkday() && p.setWorkdays()
		case Monthly:
			return nthDay(p) || p.monthDays() || monthEnd(p)
		case Yearly:
			return p.try(nthDay) && p.r.Unit == Yearly || dayOfYear(p)
		}
		return false
	}) {
		return p.fits()
	}
	after := *p
	joint := after.word("on", "in")
	if joint == "" {
		return true
	}
	after.word("the")
	_, _, weekday := after.weekday()
	m, day := after.date()
	if joint == "in" && m != 0 && day == 0 { // every day in june
		return true
	}
	return !weekday && m == 0 && after.ordinal() == 0
}

func (p *reader) setWorkdays() bool {
	p.r.Unit, p.r.Days = Weekly, workdays()
	return true
}

// fits reports whether the days of a rule exist.
func (p *reader) fits() bool {
	r := p.r
	longest := 31
	if r.Month != 0 {
		longest = time.Date(2000, r.Month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
	for _, d := range r.MonthDays {
		if d == 0 || d < -1 || d > longest {
			return false
		}
	}
	if r.SetPos > 20 {
		return false
	}
	for _, n := range r.Nth {
		if n == 0 || n < -1 || n > 5 {
			return false
		}
	}
	return true
}

// everyDays reads weekdays behind every: other friday, mon, wed and fri.
func everyDays(p *reader) bool {
	n := p.interval()
	days, _, ok := p.weekdays()
	p.r = Rule{Unit: Weekly, Every: n, Days: days}
	p.word("of the week")
	return ok
}

// dayOfYear reads a day of the year, or a month of it.
func dayOfYear(p *reader) bool {
	if p.holiday() {
		return true
	}
	m, day := p.date()
	if p.r.Unit, p.r.Month = Yearly, m; day > 0 {
		p.r.MonthDays = []int{day}
	}
	return m != 0 && p.fits()
}

// adverb reads what begins with one word for a period: weekly, quarterly on the 15th, weekdays.
func adverb(p *reader) bool {
	p.plain = true
	p.word("once")
	p.word("on")
	switch before := p.s; {
	case p.word("bimonthly", "bi-monthly") != "":
		p.r.Doubt = "bimonthly"
		return p.period(2, "month")
	case p.word("alternate", "alternating") != "":
		days, _, ok := p.weekdays()
		p.r = Rule{Unit: Weekly, Every: 2, Days: days}
		return ok
	case p.word("hourly", "daily", "nightly", "weekly", "fortnightly", "biweekly", "bi-weekly", "monthly", "quarterly",
		"half yearly", "half-yearly", "semiannually", "semi-annually", "biannually", "yearly", "annually", "weekdays",
		"workdays", "working days", "business days", "weekends", "school days") != "":
		p.s = before
	case p.isWorkday() || p.word("weekend") != "": // weekday mornings
		p.s, p.plain = before, false
	default:
		return false
	}
	return p.period(1, p.unit())
}

// inMonths reads days of months without every: the last friday of each month, end of the month,
// may 5 every year.
func inMonths(p *reader) bool {
	if p.try(monthEnd) {
		return true
	}
	if p.word("on"); p.try(func(p *reader) bool { return nthDay(p) && (p.of != noMonth || p.r.Month != 0) }) {
		return true
	}
	p.plain = true
	return dayOfYear(p) && p.word("every year", "each year", "yearly", "annually") != ""
}

// listed reads a list of weekdays: mondays, mon-fri, friday mornings.
func listed(p *reader) bool {
	p.word("on")
	days, several, ok := p.weekdays()
	p.r.Unit, p.r.Days = Weekly, days
	after := *p
	each := after.word("mornings", "afternoons", "evenings", "nights") != ""
	p.plain = p.plural || each
	return ok && (several || each)
}
