package dates

import (
	"time"
)

// fields are the parts of a text.
type fields struct {
	year, month, day int // 0 means not given
	hasYear          bool
	full             bool // year, month and day are given in digits
	quarter          int
	feast            int // a holiday whose day depends on the year
	isoWeek, isoDay  int
	dayShift         *int
	weekShift        *int
	monthShift       *int
	quarterShift     *int
	yearShift        *int
	weekday          *time.Weekday
	mode             int
	modeText         string
	nth              int // the nth weekday of a month, -1 for the last one
	edge             int
	edgeText         string
	weekend          bool
	span             *amount // the last or next n units
	clock            clock
	part             int
	partText         string
	shifts           []amount
	sign             int  // of shifts and span
	fromBase         bool // shifts count from the rest of the text
	weekAfter        bool // "Thursday week": nothing but a weekday or "tomorrow" names the day
	counted          bool // shifts were written as "in 2 weeks", "ago" or 後, not as "+2w"
	allDay           bool // the text says that it has no time of day
	sameTime         bool // it has the time of day of now
	now              bool // the text says now
	length           time.Duration

	words bool // the text is not only digits
	bad   bool // two parts contradict each other
	notes []Note
}

// clock is a time of day as written.
type clock struct {
	set                  bool
	hour, minute, second int
	nanosecond           int
	meridiem             byte // 'a', 'p' or 0
	bare                 bool // only an hour: "at 3"
	extended             bool // the hour may exceed 24: 25時
	named                bool // noon or midnight
	dotted               bool // 14.30
	before               int  // the minutes before: 6時15分前
	text                 string
}

// set sets a number that must not have another value yet.
func (f *fields) set(to *int, n int) {
	f.bad = f.bad || *to != 0 && *to != n
	*to = n
}

// setShift sets a relative part that must not have another value yet.
func (f *fields) setShift(to **int, n int) {
	f.bad = f.bad || *to != nil && **to != n
	*to, f.words = &n, true
}

func (f *fields) setWeekday(d time.Weekday) {
	f.bad = f.bad || f.weekday != nil && *f.weekday != d
	f.weekday, f.words = &d, true
}

func (f *fields) setYear(n int) {
	f.bad = f.bad || f.hasYear && f.year != n || n < 1 || n > 9999
	f.year, f.hasYear = n, true
}

// hasDay reports whether the text names a day.
func (f *fields) hasDay() bool {
	return f.hasYear || f.month != 0 || f.day != 0 || f.isoWeek != 0 || f.quarter != 0 ||
		f.feast != 0 || f.isRelative() ||
		f.weekday != nil || f.weekend || f.edge != 0
}

// isRelative reports whether the text names a day by its distance from today.
func (f *fields) isRelative() bool {
	return f.dayShift != nil || f.weekShift != nil || f.monthShift != nil || f.quarterShift != nil ||
		f.yearShift != nil || f.span != nil
}

func (f *fields) note(n Note) { f.notes = append(f.notes, n) }

// date sets a date; the year 0 and, unless hasDay is set, the day 0 mean none.
func (f *fields) date(y, m, d int, hasDay bool) {
	if y != 0 {
		f.setYear(y)
	}
	f.bad = f.bad || m < 1 || m > 12 || hasDay && (d < 1 || d > 31)
	f.set(&f.month, m)
	if hasDay {
		f.set(&f.day, d)
	}
	f.full = f.full || f.hasYear && hasDay
	f.words = f.words || !f.full
}

// monthDay sets a month and a day. Only a number above 12 is a day in first place.
func (f *fields) monthDay(text string, a, b int) {
	f.words = true
	if a > 12 {
		a, b = b, a
	} else if b <= 12 && a != b {
		f.note(Note{Choice: MonthFirst, Text: text})
	}
	f.date(0, a, b, true)
}

func (f *fields) setPart(part int, text string) {
	f.bad = f.bad || f.part != 0 && f.part != part && part != night && f.part != night
	f.part, f.partText, f.words = part, text, true
}

// hasPeriod reports whether a week, month or year is given.
func (f *fields) hasPeriod() bool {
	return f.monthShift != nil || f.yearShift != nil || f.weekShift != nil || f.hasYear || f.month != 0
}

func (f *fields) addShifts(all []amount, sign int) {
	f.bad = f.bad || len(f.shifts) > 0
	f.shifts, f.sign, f.words = all, sign, true
}

func (f *fields) setLength(all []amount) bool {
	var sum time.Duration
	for _, a := range all {
		d, ok := a.duration()
		if !ok {
			return false
		}
		sum += d
	}
	f.bad = f.bad || f.length != 0 || sum == 0
	f.length, f.words = sum, true
	return true
}

// timeOfDay returns the time since midnight that the clock and the part of the day
// mean.
func (f *fields) timeOfDay() time.Duration {
	c := f.clock
	h := c.hour
	switch {
	case c.meridiem == 'a':
		h %= 12
	case c.meridiem == 'p':
		h = h%12 + 12
	case c.extended:
	case f.part != 0 && h <= 12:
		h = partHour(f.part, h)
	case c.bare && h >= 1 && h <= 7:
		h += 12
	}
	d := time.Duration(h)*time.Hour + time.Duration(c.minute)*time.Minute + time.Duration(c.second)*time.Second +
		time.Duration(c.nanosecond)
	return d - time.Duration(c.before)*time.Minute
}

// fits reports whether the parts that need a certain other part have it.
func (f *fields) fits() bool {
	date := f.full || f.day != 0 || f.dayShift != nil
	dayOfWeek := f.weekday != nil && (f.weekShift != nil || f.clock.minute == 0 || f.clock.minute > 12)
	if f.clock.dotted && !date && !dayOfWeek { // "Fri 12.06" may be a date
		return false
	}
	return !f.weekAfter || f.month == 0 && f.day == 0 && !f.hasYear && f.weekShift == nil && f.monthShift == nil &&
		f.yearShift == nil && f.edge == 0 && !f.weekend && f.nth == 0 && f.mode != nextMode && f.mode != lastMode &&
		(f.weekday == nil || f.dayShift == nil)
}

// takeSameTime takes the time of day from now and, for "this time next week", the day of
// the week, the month or the year.
func (f *fields) takeSameTime(now time.Time) {
	f.clock = clock{set: true, hour: now.Hour(), minute: now.Minute()}
	switch today := 0; {
	case f.weekday != nil || f.dayShift != nil || f.day != 0:
	case f.weekShift != nil:
		f.dayShift = &today
	case f.monthShift != nil:
		f.day = now.Day()
	case f.yearShift != nil:
		f.month, f.day = int(now.Month()), now.Day()
	}
}
