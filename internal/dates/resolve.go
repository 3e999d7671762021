package dates

import (
	"slices"
	"time"
)

// resolver turns the parts of a text into a moment.
type resolver struct {
	said   fields
	now    time.Time
	wall   time.Time // the wall clock time of now
	today  time.Time
	prefer Prefer
	text   string
	vague  string // the part of the text that stands for a time of day, or for one of several days
}

// found is a day, or the days of a period.
type found struct {
	first, last time.Time
	period      bool
}

func oneDay(t time.Time) found { return found{first: t, last: t} }

func (p *resolver) resolve() (m Moment, ok bool) {
	if p.said.sameTime {
		p.said.takeSameTime(p.wall)
	}
	lengthOnly := p.said.length != 0 && !p.said.clock.set && p.said.part == 0 && !p.said.now && len(p.said.shifts) == 0
	timeSaid := p.said.clock.set || p.said.part != 0
	if p.said.span != nil && (len(p.said.shifts) > 0 || timeSaid) || p.said.now && (p.said.hasDay() || timeSaid) ||
		lengthOnly {
		return m, false
	}
	clock, timed := p.clockOrPart()
	if clock < 0 {
		return m, false // 0時10分前
	}
	if !p.said.hasDay() && !timed {
		return p.fromNow()
	}
	d, ok := p.base(clock, timed)
	if !ok {
		return m, false
	}
	m = Moment{Wall: d.first, Last: d.last, Timed: timed, Period: d.period, Length: p.said.length}
	if timed {
		m.Wall = d.first.Add(clock)
		m.Period = false
	}
	at := d.first.Add(clock)
	for _, s := range p.said.shifts {
		_, elapsed := s.duration()
		if elapsed && !timed {
			return m, false // "2 hours after tomorrow"
		}
		m.Wall, m.Last, m.Period = s.add(m.Wall, p.said.sign), s.add(m.Last, p.said.sign), false
		if !elapsed {
			at = s.add(at, p.said.sign)
		}
	}
	if timed && !d.first.Equal(d.last) {
		p.vague = p.text // 3pm next week
	}
	if p.vague != "" {
		p.said.note(Note{Choice: ReadAs, Text: p.vague, At: at, Timed: true})
	}
	if p.said.clock.eitherHalf() && p.said.part == 0 && len(p.said.notes) == 0 {
		p.said.note(Note{Choice: ReadAs, Text: p.said.clock.text, At: at, Timed: true})
	}
	if timed {
		m.Last = dayOf(m.Wall)
	}
	return p.finish(m), true
}

func (p *resolver) finish(m Moment) Moment {
	if len(p.said.shifts) == 1 && p.said.shifts[0].m {
		p.said.note(Note{Choice: Minutes, At: m.Wall, Timed: true})
	}
	m.Words, m.Notes = p.said.words || !p.said.full, p.said.notes
	m.relative = p.said.isRelative() || len(p.said.shifts) > 0 || p.said.now
	return m
}

// fromNow resolves a text that names neither a day nor a time of day: "now", "in 2
// hours", "3日後".
func (p *resolver) fromNow() (m Moment, ok bool) {
	if len(p.said.shifts) == 0 && !p.said.now || p.said.fromBase && !p.said.now {
		return m, false
	}
	p.said.words = true
	wall, at, elapsed := p.wall, p.now, p.said.now
	for _, s := range p.said.shifts {
		if d, ok := s.duration(); ok {
			elapsed = true
			wall, at = wall.Add(time.Duration(p.said.sign)*d), at.Add(time.Duration(p.said.sign)*d)
			continue
		}
		wall, at = s.add(wall, p.said.sign), s.add(at, p.said.sign)
	}
	if !elapsed {
		return p.finish(Moment{Wall: dayOf(wall), Last: dayOf(wall)}), true
	}
	m = Moment{Wall: wall.Truncate(time.Minute), Last: dayOf(wall), Timed: true, Length: p.said.length}
	if calendar := len(p.said.shifts) > 0 && p.said.shifts[0].unit >= dayUnit; !calendar {
		m.Instant, m.Offset = at.Truncate(time.Minute), true
		if slices.ContainsFunc(p.said.shifts, func(a amount) bool { return a.unit == second }) {
			m.Instant = at.Truncate(time.Second)
		}
		m.Wall = wallOf(m.Instant)
		m.Last = dayOf(m.Wall)
	}
	return p.finish(m), true
}

// clockOrPart returns the time of day, of the clock or of the part of the day.
func (p *resolver) clockOrPart() (d time.Duration, timed bool) {
	switch {
	case p.said.clock.set:
		d = p.said.timeOfDay()
		c := p.said.clock
		if c.bare && c.hour <= 12 && p.said.part == 0 || c.named && c.hour == 0 || c.before != 0 {
			p.vague = p.said.clock.text
		} else if d >= 24*time.Hour && p.said.part != 0 {
			p.vague = p.said.partText + " " + p.said.clock.text
		}
		return d, true
	case p.said.part != 0:
		p.vague = p.said.partText
		return partTime(p.said.part), true
	}
	return 0, false
}

// base returns the days that shifts count from.
func (p *resolver) base(clock time.Duration, timed bool) (found, bool) {
	f := &p.said
	elapsed := slices.ContainsFunc(f.shifts, func(a amount) bool { return a.unit < dayUnit })
	if f.weekAfter {
		p.prefer = Future
	}
	if f.fromBase && !elapsed && f.hasDay() { // at 10:00, "a week today at 9" is in a week
		return p.days(0, false)
	}
	if len(f.shifts) == 0 || f.fromBase || elapsed {
		return p.days(clock, timed)
	}
	weekday := f.weekday
	if f.counted && f.mode == plainMode {
		f.weekday = nil
	}
	if f.hasDay() {
		f.weekday = weekday
		return p.days(clock, timed)
	}
	if weekday != nil && f.shifts[0].unit == week && len(f.shifts) == 1 { // "in 2 weeks on Monday": of that week
		n := f.sign * f.shifts[0].n
		f.weekday, f.weekShift, f.shifts = weekday, &n, nil
		return p.days(clock, timed)
	}
	at := p.today // "3日後の9時": 3 days from today
	for _, s := range f.shifts {
		at = s.add(at, f.sign)
	}
	f.weekday, f.shifts = weekday, nil
	p.checkWeekday(at)
	return oneDay(at), true
}

// days finds the day or the days of the text.
func (p *resolver) days(clock time.Duration, timed bool) (d found, ok bool) {
	switch {
	case p.said.span != nil:
		d, ok = p.spanDays(), true
	case p.said.dayShift != nil:
		d, ok = p.relativeDay()
	case p.said.feast != 0:
		d, ok = p.feastOf(clock, timed)
	case p.said.isoWeek != 0:
		d, ok = p.weekOfYear()
	case p.said.quarter != 0 || p.said.quarterShift != nil:
		d, ok = p.quarterDays()
	case p.said.weekShift != nil:
		d, ok = p.dayOfWeek()
	case p.said.hasPeriod() || p.said.day != 0 || p.said.edge != 0:
		d, ok = p.calendarDay(clock, timed)
	case p.said.weekday != nil:
		d, ok = p.nearWeekday(clock, timed)
	default:
		d, ok = p.search(clock, timed, func(i int) (found, bool) { return oneDay(p.today.AddDate(0, 0, i)), true }),
			true
	}
	return d, ok && !d.last.Before(d.first)
}

// search returns the first of the candidates 0, 1, 2… that is not over or, for
// Past, the first of 0, -1, -2… that has begun.
func (p *resolver) search(clock time.Duration, timed bool, candidate func(i int) (found, bool)) found {
	step, now := 1, p.today
	if timed {
		now = p.wall.Truncate(time.Minute)
	}
	if p.prefer == Past {
		step = -1
	}
	var over found
	for i := 0; i > -2000 && i < 2000; i += step {
		d, ok := candidate(i)
		if !ok {
			continue
		}
		if p.prefer == Future && d.last.Add(clock).Before(now) || p.prefer == Past && d.first.Add(clock).After(now) {
			if over.first.IsZero() {
				over = d
			}
			continue
		}
		if !over.first.IsZero() && p.vague == "" {
			p.said.note(Note{Choice: Over, At: d.first.Add(clock), Other: over.first.Add(clock), Timed: timed})
		}
		return d
	}
	return found{first: p.today, last: p.today.AddDate(0, 0, -1)} // refused by days
}

// spanDays resolves "the last 7 days", which include today, and "the next 3 days",
// which begin today.
func (p *resolver) spanDays() found {
	if p.said.sign < 0 {
		return found{p.said.span.add(p.today, -1), p.today, true}
	}
	return found{p.today, p.said.span.add(p.today, 1), true}
}

// relativeDay resolves today, tomorrow, and 来週の今日.
func (p *resolver) relativeDay() (found, bool) {
	t := p.today.AddDate(0, 0, *p.said.dayShift)
	if p.said.weekShift != nil {
		t = t.AddDate(0, 0, 7**p.said.weekShift)
	}
	f := &p.said
	if f.month != 0 && f.month != int(t.Month()) || f.day != 0 && f.day != t.Day() || f.hasYear && f.year != t.Year() ||
		f.monthShift != nil || f.yearShift != nil || f.edge != 0 || f.nth != 0 || f.mode != 0 {
		return found{}, false
	}
	p.checkWeekday(t)
	return oneDay(t), true
}

// checkWeekday notes a weekday that contradicts a date.
func (p *resolver) checkWeekday(t time.Time) {
	if p.said.weekday != nil && *p.said.weekday != t.Weekday() {
		p.said.note(Note{Choice: Mismatch, Text: p.said.weekday.String(), At: t})
	}
}

// weekOfYear resolves 2026-W24 and 2026-W24-3.
func (p *resolver) weekOfYear() (found, bool) {
	first := monday(time.Date(p.said.year, 1, 4, 0, 0, 0, 0, time.UTC)).AddDate(0, 0, 7*(p.said.isoWeek-1))
	if y, w := first.ISOWeek(); y != p.said.year || w != p.said.isoWeek || p.said.month != 0 || p.said.day != 0 {
		return found{}, false
	}
	if p.said.isoDay > 0 {
		return oneDay(first.AddDate(0, 0, p.said.isoDay-1)), true
	}
	if p.said.weekday != nil {
		return oneDay(first.AddDate(0, 0, (int(*p.said.weekday)+6)%7)), true
	}
	return found{first, first.AddDate(0, 0, 6), true}, true
}

// quarterDays resolves Q3, Q3 2026 and next quarter.
func (p *resolver) quarterDays() (found, bool) {
	if f := &p.said; f.month != 0 || f.day != 0 || f.weekday != nil || f.weekShift != nil || f.monthShift != nil {
		return found{}, false
	}
	index := 4*p.today.Year() + (int(p.today.Month())-1)/3
	switch {
	case p.said.quarterShift != nil:
		index += *p.said.quarterShift
	case p.said.hasYear:
		index = 4*p.said.year + p.said.quarter - 1
	default:
		first := 4*p.today.Year() + p.said.quarter - 1
		next := p.search(0, false, func(i int) (found, bool) { return quarterOf(first + 4*i), true })
		return edgeOf(next, p.said.edge)
	}
	return edgeOf(quarterOf(index), p.said.edge)
}

// edgeOf returns the first or the last day of a period, or all of it without an edge.
func edgeOf(d found, edge int) (found, bool) {
	switch edge {
	case 0:
		return d, true
	case firstEdge:
		return oneDay(d.first), true
	case lastEdge:
		return oneDay(d.last), true
	}
	return d, false
}

// quarterOf returns the days of a quarter, counted from the year 0.
func quarterOf(index int) found {
	first := time.Date(index/4, time.Month(index%4*3+1), 1, 0, 0, 0, 0, time.UTC)
	return found{first, first.AddDate(0, 3, -1), true}
}

// dayOfWeek resolves a week, its weekend, or one of its days.
func (p *resolver) dayOfWeek() (found, bool) {
	first := monday(p.today).AddDate(0, 0, 7**p.said.weekShift)
	f := &p.said
	if f.month != 0 || f.day != 0 || f.hasYear || f.monthShift != nil || f.yearShift != nil || f.nth != 0 ||
		f.mode != 0 {
		return found{}, false
	}
	switch {
	case p.said.weekend:
		return found{first.AddDate(0, 0, 5), first.AddDate(0, 0, 6), false}, p.said.weekday == nil
	case p.said.weekday != nil:
		return oneDay(first.AddDate(0, 0, (int(*p.said.weekday)+6)%7)), p.said.edge == 0
	case p.said.edge == firstEdge:
		return oneDay(first), true
	case p.said.edge == lastEdge: // of a working week
		t := first.AddDate(0, 0, 4)
		p.said.note(Note{Choice: ReadAs, Text: p.said.edgeText, At: t})
		return oneDay(t), true
	case p.said.edge == middleEdge:
		t := first.AddDate(0, 0, 2)
		p.said.note(Note{Choice: ReadAs, Text: p.said.edgeText, At: t})
		return oneDay(t), true
	}
	part := [...][2]int{0: {0, 6}, earlyEdge: {0, 1}, lateEdge: {3, 4}, firstHalf: {0, 2},
		secondHalf: {3, 6}}[p.said.edge]
	return found{first.AddDate(0, 0, part[0]), first.AddDate(0, 0, part[1]), true}, true
}

// nearWeekday resolves a weekday without a date:
//
//   - friday: the next one, today included; for Past the last one
//   - this friday: in this week or, if it is over, in the next one
//   - next friday: in the next week
//   - last friday: the last one before today
//   - coming friday: the next one after today
func (p *resolver) nearWeekday(clock time.Duration, timed bool) (found, bool) {
	if p.said.nth != 0 { // the third Tuesday of some month
		first := p.today.AddDate(0, 0, 1-p.today.Day())
		return p.search(clock, timed, func(i int) (found, bool) { return p.partOfMonth(first.AddDate(0, i, 0)) }),
			p.said.mode == plainMode
	}
	week := monday(p.today).AddDate(0, 0, (int(*p.said.weekday)+6)%7) // in this week
	after := week
	if !after.After(p.today) {
		after = after.AddDate(0, 0, 7)
	}
	switch p.said.mode {
	case nextMode:
		t := week.AddDate(0, 0, 7)
		if !t.Equal(after) {
			p.said.note(Note{Choice: NotOther, Text: p.said.modeText, At: t, Other: after})
		}
		return oneDay(t), true
	case comingMode:
		return oneDay(after), true
	case lastMode:
		t := week.AddDate(0, 0, -7)
		if week.Before(p.today) {
			p.said.note(Note{Choice: NotOther, Text: p.said.modeText, At: week, Other: t})
			t = week
		}
		return oneDay(t), true
	}
	if p.said.mode == plainMode && week.Before(p.today) && p.prefer == Future {
		week = after // the one before is not meant, so nothing is to be noted
	}
	if p.prefer == Past && week.After(p.today) {
		week = week.AddDate(0, 0, -7)
	}
	return p.search(clock, timed, func(i int) (found, bool) { return oneDay(week.AddDate(0, 0, 7*i)), true }), true
}
