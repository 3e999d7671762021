package recur

import (
	"math"
	"time"
)

// Series is a rule with its start. DTSTART is an occurrence only if the rule
// matches it; python-dateutil interprets the RFC in the same way.
type Series struct {
	rule  *Rule
	start int64 // wall clock in seconds since 1970, like all times below
	until int64 // inclusive

	months    uint16 // bit m is month m; 0 means any
	weekdays  uint8  // bit w is weekday w; 0 means any
	nth       []Day
	monthDays []int
	weekly    int64    // first day of the week of start
	clocks    [3][]int // hours, minutes and seconds, for rules of DAILY and longer frequency
	times     []int64  // all combinations of clocks in seconds of the day, computed on demand
	hours     uint32   // bit sets for frequencies below DAILY; 0 means any
	minutes   uint64
	seconds   uint64
	within    []int64 // seconds within an hour or a minute, for HOURLY and MINUTELY
	budget    *Budget
	skip      func(time.Time) bool
}

// Without leaves out the times that skip reports, and does not count them: RFC 5545 ignores those that clocks skip.
func (s *Series) Without(skip func(time.Time) bool) *Series {
	s.skip = skip
	return s
}

// Budget limits the steps of all walks that share it. A step examines a day, an
// hour, a minute or a second and takes about 50 ns. A nil Budget is unlimited.
type Budget struct{ Steps int }

// Limit makes walks of the series count against a budget. A walk stops when the
// budget is spent.
func (s *Series) Limit(b *Budget) *Series {
	s.budget = b
	return s
}

// maxIdle is the number of days or hours without an occurrence after which a walk
// gives up. It exceeds the 400 years after which the calendar repeats.
const maxIdle = 150_000

// maxCounted is the number of earlier occurrences that COUNT takes into account.
const maxCounted = 2_000_000

// New returns the series of a rule. start is a wall clock, date marks a start
// without a time, and until is the last possible wall clock, or zero. Callers
// convert an UNTIL in UTC to a wall clock.
func New(r *Rule, start time.Time, date bool, until time.Time) *Series {
	s := &Series{rule: r, start: start.Unix(), until: math.MaxInt64, monthDays: r.MonthDay}
	if !until.IsZero() {
		s.until = until.Unix()
	}
	for _, m := range r.Month {
		s.months |= 1 << m
	}
	for _, d := range r.Weekday {
		if d.N == 0 || r.Freq > Monthly {
			s.weekdays |= 1 << d.Weekday
		} else {
			s.nth = append(s.nth, d)
		}
	}
	day := floorDiv(s.start, 86400)
	s.weekly = day - (weekdayOf(day)-int64(r.Week)+7)%7
	s.defaults(start, day)
	s.clock(start, date)
	return s
}

// defaults derives omitted BY parts for days from the start.
func (s *Series) defaults(start time.Time, day int64) {
	r := s.rule
	if len(r.WeekNo)+len(r.YearDay)+len(r.MonthDay)+len(r.Weekday) > 0 {
		return
	}
	switch r.Freq {
	case Yearly:
		if s.months == 0 {
			s.months = 1 << start.Month()
		}
		s.monthDays = []int{start.Day()}
	case Monthly:
		s.monthDays = []int{start.Day()}
	case Weekly:
		s.weekdays = 1 << weekdayOf(day)
	}
}

// clock computes the times of day. A date has none, regardless of BYHOUR.
func (s *Series) clock(start time.Time, date bool) {
	r := s.rule
	hours, minutes, seconds := r.Hour, r.Minute, r.Second
	if date {
		hours, minutes, seconds = nil, nil, nil
	}
	or := func(list []int, one int, freq Freq) []int {
		if len(list) == 0 && r.Freq < freq {
			return []int{one}
		}
		return list
	}
	hours, minutes, seconds = or(hours, start.Hour(), Hourly), or(minutes, start.Minute(), Minutely),
		or(seconds, start.Second(), Secondly)
	switch {
	case r.Freq < Hourly:
		s.clocks = [3][]int{hours, minutes, seconds}
		return
	case r.Freq == Hourly:
		for _, m := range minutes {
			for _, sec := range seconds {
				s.within = append(s.within, int64(m*60+sec))
			}
		}
		minutes, seconds = nil, nil
	case r.Freq == Minutely:
		for _, sec := range seconds {
			s.within = append(s.within, int64(sec))
		}
		seconds = nil
	default:
		s.within = []int64{0}
	}
	for _, h := range hours {
		s.hours |= 1 << h
	}
	for _, m := range minutes {
		s.minutes |= 1 << m
	}
	for _, sec := range seconds {
		s.seconds |= 1 << sec
	}
}

// perDay returns the number of occurrences per day, for frequencies of DAILY and
// longer.
func (s *Series) perDay() int {
	return len(s.clocks[0]) * len(s.clocks[1]) * len(s.clocks[2])
}

// day returns the times of day, for frequencies of DAILY and longer.
func (s *Series) day() []int64 {
	if s.times == nil {
		s.times = make([]int64, 0, s.perDay())
		for _, h := range s.clocks[0] {
			for _, m := range s.clocks[1] {
				for _, sec := range s.clocks[2] {
					s.times = append(s.times, int64(h*3600+m*60+sec))
				}
			}
		}
	}
	return s.times
}

// Walk yields the occurrences in [from, to), in order, until yield returns false.
// It starts near from, however long ago the series began, unless the rule has
// COUNT. It returns false if it gave up: the budget is spent, or the rule does not
// seem to match anything.
func (s *Series) Walk(from, to time.Time, yield func(time.Time) bool) bool {
	w := walker{Series: s, from: max(from.Unix(), s.start), to: min(to.Unix(), maxSeconds), yield: yield}
	p := int64(0)
	if s.rule.Count == 0 {
		p = max(0, s.period(w.from))
	}
	for ; !w.done; p++ {
		first, n := s.days(p)
		if first*86400 >= w.to || first*86400 > s.until {
			break
		}
		if s.rule.Freq >= Hourly {
			w.units(first)
		} else {
			w.wholeDays(first, n)
		}
		if w.step(); w.idle > maxIdle {
			return false
		}
	}
	return !w.gaveUp
}

// step counts a candidate without an occurrence.
func (w *walker) step() {
	w.idle++
	if b := w.budget; b != nil && !w.gaveUp {
		if b.Steps--; b.Steps < 0 {
			w.done, w.gaveUp = true, true
		}
	}
}

// maxSeconds is the end of year 9999, the last that RFC 5545 can express.
const maxSeconds = 253402300800

// period returns the number of the period that contains a time, or of the last one
// before it.
func (s *Series) period(t int64) int64 {
	r, day, first := s.rule, floorDiv(t, 86400), floorDiv(s.start, 86400)
	switch r.Freq {
	case Yearly:
		return floorDiv(civil(day).year-civil(first).year, int64(r.Interval))
	case Monthly:
		return floorDiv(civil(day).months()-civil(first).months(), int64(r.Interval))
	case Weekly:
		return floorDiv(day-s.weekly, 7*int64(r.Interval))
	case Daily:
		return floorDiv(day-first, int64(r.Interval))
	}
	return day - first
}

// days returns the first day of a period and its number of days.
func (s *Series) days(p int64) (first, n int64) {
	interval := int64(s.rule.Interval)
	day := floorDiv(s.start, 86400)
	switch s.rule.Freq {
	case Yearly:
		year := civil(day).year + p*interval
		first = fromCivil(year, 1, 1)
		return first, fromCivil(year+1, 1, 1) - first
	case Monthly:
		m := civil(day).months() + p*interval
		first = fromCivil(0, m+1, 1)
		return first, fromCivil(0, m+2, 1) - first
	case Weekly:
		return s.weekly + 7*interval*p, 7
	case Daily:
		return day + interval*p, 1
	}
	return day + p, 1
}

type walker struct {
	*Series
	from, to int64
	yield    func(time.Time) bool
	counted  int
	idle     int
	done     bool
	gaveUp   bool
}

// emit handles one occurrence of the rule.
func (w *walker) emit(t int64) {
	if w.done {
		return
	}
	w.step()
	switch {
	case w.done || t < w.start:
		return
	case t > w.until || t >= w.to:
		w.done = true
		return
	}
	if w.skip != nil && w.skip(time.Unix(t, 0).UTC()) {
		return
	}
	w.counted++
	if c := w.rule.Count; c > 0 && w.counted > c {
		w.done = true
		return
	}
	w.idle = 0
	if w.counted > maxCounted {
		w.done, w.gaveUp = true, true
	}
	if t >= w.from && !w.yield(time.Unix(t, 0).UTC()) {
		w.done = true
	}
}

// wholeDays emits a period of DAILY and longer frequencies.
func (w *walker) wholeDays(first, n int64) {
	if len(w.rule.SetPos) == 0 {
		if w.rule.Count == 0 { // occurrences outside of the window do not count
			end := min(first+n, floorDiv(w.to-1, 86400)+1)
			first = max(first, floorDiv(w.from, 86400))
			n = end - first
		}
		for d := range w.candidates(first, n) {
			for _, t := range w.day() {
				if w.emit(d*86400 + t); w.done {
					return
				}
			}
		}
		return
	}
	var days []int64
	for d := range w.candidates(first, n) {
		days = append(days, d)
	}
	perDay := w.perDay()
	for _, at := range w.positions(len(days) * perDay) {
		w.emit(days[at/perDay]*86400 + w.day()[at%perDay])
	}
}

// candidates yields the days of a period that may match. It skips months and
// weekdays that the rule excludes without visiting their days.
func (w *walker) candidates(first, n int64) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		weekdays := w.anyWeekday()
		for d := first; d < first+n && !w.done; d++ {
			w.step()
			if w.months != 0 && n > 31 {
				if at := civil(d); w.months&(1<<at.month) == 0 {
					d = fromCivil(at.year, at.month+1, 1) - 1
					continue
				}
			}
			if weekdays&(1<<weekdayOf(d)) != 0 && w.matches(d) && !yield(d) {
				return
			}
		}
	}
}

// anyWeekday returns the weekdays of BYDAY, with or without an ordinal.
func (s *Series) anyWeekday() uint8 {
	any := s.weekdays
	for _, d := range s.nth {
		any |= 1 << d.Weekday
	}
	if any == 0 {
		any = 1<<7 - 1
	}
	return any
}

// positions returns the indexes that BYSETPOS selects from n occurrences, in
// order.
func (s *Series) positions(n int) []int {
	var places []int
	for _, p := range s.rule.SetPos { // sorted: from the end, then from the start
		if p < 0 {
			p += n + 1
		}
		if p >= 1 && p <= n {
			places = append(places, p-1)
		}
	}
	return sorted(places)
}

// units emits one day of frequencies below DAILY.
func (w *walker) units(day int64) {
	if !w.matches(day) {
		return
	}
	unit := [...]int64{3600, 60, 1}[w.rule.Freq-Hourly]
	perDay, interval := 86400/unit, int64(w.rule.Interval)
	k := floorMod(floorDiv(w.start, unit)-day*perDay, interval)
	if day*86400 < w.from && w.rule.Count == 0 { // start near the window
		if skip := (w.from-day*86400)/unit - 1; skip > k {
			k += (skip - k) / interval * interval
		}
	}
	ahead := func(to int64) { k += (to - k + interval - 1) / interval * interval }
	for w.step(); k < perDay && !w.done; w.step() {
		t := k * unit
		switch {
		case w.hours != 0 && w.hours&(1<<(t/3600)) == 0:
			ahead((t/3600 + 1) * 3600 / unit)
			continue
		case w.minutes != 0 && w.minutes&(1<<(t/60%60)) == 0:
			ahead((t/60 + 1) * 60 / unit)
			continue
		case w.seconds == 0 || w.seconds&(1<<(t%60)) != 0:
			w.unit(day*86400 + t)
		}
		k += interval
	}
}

// unit emits one hour, minute or second.
func (w *walker) unit(t int64) {
	if len(w.rule.SetPos) == 0 {
		for _, s := range w.within {
			w.emit(t + s)
		}
		return
	}
	for _, at := range w.positions(len(w.within)) {
		w.emit(t + w.within[at])
	}
}

// Rule returns the rule of the series.
func (s *Series) Rule() *Rule { return s.rule }
