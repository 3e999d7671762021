package dates

import "time"

// calendarDay resolves a year, a month or a day of the calendar, of which some may
// be missing.
func (p *resolver) calendarDay(clock time.Duration, timed bool) (found, bool) {
	f := &p.said
	if f.weekday != nil && f.mode != 0 && (f.month != 0 || f.day != 0) || f.yearShift != nil && f.hasYear ||
		f.monthShift != nil && (f.month != 0 || f.hasYear || f.yearShift != nil) {
		return found{}, false
	}
	year := p.today.Year()
	switch {
	case p.said.yearShift != nil:
		year += *p.said.yearShift
	case p.said.hasYear:
		year = p.said.year
	}
	fixedYear := p.said.hasYear || p.said.yearShift != nil
	switch {
	case p.said.monthShift != nil:
		first := time.Date(year, p.today.Month()+time.Month(*p.said.monthShift), 1, 0, 0, 0, 0, time.UTC)
		return p.inMonth(first)
	case p.said.month == 0 && p.said.day == 0:
		return p.inYear(year)
	case p.said.month == 0 && fixedYear:
		return found{}, false // "2026 15日"
	case p.said.month == 0:
		return p.dayOfSomeMonth(clock, timed)
	case fixedYear:
		return p.inMonth(time.Date(year, time.Month(p.said.month), 1, 0, 0, 0, 0, time.UTC))
	}
	return p.monthOfSomeYear(clock, timed)
}

// inYear returns a year, or its first or last day.
func (p *resolver) inYear(year int) (found, bool) {
	first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC)
	switch {
	case p.said.weekday != nil || p.said.nth != 0:
		return found{}, false
	case p.said.edge == firstEdge:
		return oneDay(first), true
	case p.said.edge == lastEdge:
		return oneDay(last), true
	}
	middle := first.AddDate(0, 6, 0)
	switch p.said.edge {
	case firstHalf:
		last = middle.AddDate(0, 0, -1)
	case secondHalf:
		first = middle
	case 0:
	default:
		return found{}, false
	}
	return found{first, last, true}, true
}

// inMonth returns the day, the weekday, the part or the whole of a month.
func (p *resolver) inMonth(first time.Time) (found, bool) {
	d, ok := p.partOfMonth(first)
	if ok && p.said.day != 0 {
		p.checkWeekday(d.first)
	}
	return d, ok
}

// partOfMonth is inMonth without notes.
func (p *resolver) partOfMonth(first time.Time) (found, bool) {
	days := lastDay(first)
	day := func(n int) time.Time { return first.AddDate(0, 0, n-1) }
	if p.said.nth != 0 {
		if p.said.weekday == nil || p.said.day != 0 || p.said.edge != 0 {
			return found{}, false
		}
		n := 1 + (int(*p.said.weekday)-int(first.Weekday())+7)%7 + 7*(p.said.nth-1)
		if p.said.nth < 0 {
			end := day(days)
			n = days - (int(end.Weekday())-int(*p.said.weekday)+7)%7
		}
		return oneDay(day(n)), n <= days
	}
	if p.said.day != 0 {
		return oneDay(day(p.said.day)), p.said.day <= days && p.said.edge == 0
	}
	if p.said.weekday != nil {
		return found{}, false
	}
	switch p.said.edge {
	case firstEdge:
		return oneDay(first), true
	case lastEdge:
		return oneDay(day(days)), true
	case earlyEdge:
		return found{first, day(10), true}, true
	case middleEdge:
		return found{day(11), day(20), true}, true
	case lateEdge:
		return found{day(21), day(days), true}, true
	case firstHalf:
		return found{day(1), day(15), true}, true
	case secondHalf:
		return found{day(16), day(days), true}, true
	}
	return found{first, day(days), true}, true
}

// dayOfSomeMonth resolves a day without a month: the 15th. With a weekday it is in
// a month in which both agree, if there is one within a year.
func (p *resolver) dayOfSomeMonth(clock time.Duration, timed bool) (found, bool) {
	first := p.today.AddDate(0, 0, 1-p.today.Day())
	agreed := p.said.weekday != nil
	candidate := func(i int) (found, bool) {
		d, ok := p.partOfMonth(first.AddDate(0, i, 0))
		return d, ok && (!agreed || d.first.Weekday() == *p.said.weekday)
	}
	if agreed {
		notes := p.said.notes
		d := p.search(clock, timed, candidate)
		if d.first.Sub(p.today).Abs() < 400*24*time.Hour {
			return d, true
		}
		p.said.notes, agreed = notes, false
	}
	d := p.search(clock, timed, candidate)
	p.checkWeekday(d.first)
	return d, p.said.edge == 0
}

// monthOfSomeYear resolves a month, or a day of it, without a year.
func (p *resolver) monthOfSomeYear(clock time.Duration, timed bool) (found, bool) {
	from := p.today.Year()
	if p.said.mode == nextMode && p.said.month <= int(p.today.Month()) {
		from++
	}
	if p.said.mode == lastMode {
		if p.said.month >= int(p.today.Month()) {
			from--
		}
		return p.inMonth(time.Date(from, time.Month(p.said.month), 1, 0, 0, 0, 0, time.UTC))
	}
	d := p.search(clock, timed, func(i int) (found, bool) {
		return p.partOfMonth(time.Date(from+i, time.Month(p.said.month), 1, 0, 0, 0, 0, time.UTC))
	})
	if p.said.day != 0 {
		p.checkWeekday(d.first)
	}
	return d, true
}

// feastOf resolves a holiday whose day depends on the year, which may be given.
func (p *resolver) feastOf(clock time.Duration, timed bool) (found, bool) {
	f := &p.said
	if f.month != 0 || f.day != 0 || f.weekday != nil || f.nth != 0 || f.edge != 0 || f.monthShift != nil ||
		f.weekShift != nil || f.quarter != 0 || f.isoWeek != 0 || f.mode != 0 || f.hasYear && f.yearShift != nil {
		return found{}, false
	}
	switch {
	case f.hasYear:
		return oneDay(feastDay(f.feast, f.year)), true
	case f.yearShift != nil:
		return oneDay(feastDay(f.feast, p.today.Year()+*f.yearShift)), true
	}
	return p.search(clock, timed, func(i int) (found, bool) {
		return oneDay(feastDay(f.feast, p.today.Year()+i)), true
	}), true
}
