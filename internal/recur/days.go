package recur

import (
	"slices"
	"time"
)

// date is a date of the proleptic Gregorian calendar.
type date struct{ year, month, day int64 }

func (d date) months() int64 { return d.year*12 + d.month - 1 }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// fromCivil returns the number of days from 1970-01-01 to a date. A month or a day beyond the last one goes on in the
// next year or month.
func fromCivil(year, month, day int64) int64 {
	return floorDiv(time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC).Unix(), 86400)
}

func civil(days int64) date {
	year, month, day := time.Unix(days*86400, 0).UTC().Date()
	return date{int64(year), int64(month), int64(day)}
}

// monthLength returns the number of days of the month.
func (d date) monthLength() int64 {
	return fromCivil(d.year, d.month+1, 1) - fromCivil(d.year, d.month, 1)
}

// weekdayOf returns the weekday, 0 for Sunday.
func weekdayOf(day int64) int64 { return floorMod(day+4, 7) }

func sorted(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// matches reports whether a day satisfies all BY parts that select days.
func (s *Series) matches(day int64) bool {
	if s.weekdays != 0 && len(s.nth) == 0 && s.weekdays&(1<<weekdayOf(day)) == 0 {
		return false
	}
	if s.months == 0 && len(s.monthDays)+len(s.rule.YearDay)+len(s.rule.WeekNo)+len(s.nth) == 0 {
		return true // the weekday is the only condition
	}
	d := civil(day)
	if s.months != 0 && s.months&(1<<d.month) == 0 {
		return false
	}
	if len(s.monthDays) > 0 {
		if !slices.Contains(s.monthDays, int(d.day)) && !slices.Contains(s.monthDays, int(d.day-d.monthLength()-1)) {
			return false
		}
	}
	if len(s.rule.YearDay) > 0 {
		first, next := fromCivil(d.year, 1, 1), fromCivil(d.year+1, 1, 1)
		if !slices.Contains(s.rule.YearDay, int(day-first+1)) && !slices.Contains(s.rule.YearDay, int(day-next)) {
			return false
		}
	}
	if len(s.rule.WeekNo) > 0 && !s.inWeek(day, d.year) {
		return false
	}
	return len(s.nth) == 0 || s.isNth(day, d)
}

// isNth checks BYDAY with ordinals: within the month, or within the year for a
// yearly rule without BYMONTH. Weekdays without an ordinal match as well.
func (s *Series) isNth(day int64, d date) bool {
	w := weekdayOf(day)
	if s.weekdays&(1<<w) != 0 {
		return true
	}
	var first, next int64
	if s.rule.Freq == Yearly && s.months == 0 {
		first, next = fromCivil(d.year, 1, 1), fromCivil(d.year+1, 1, 1)
	} else {
		first, next = fromCivil(d.year, d.month, 1), fromCivil(d.year, d.month+1, 1)
	}
	for _, n := range s.nth {
		if int64(n.Weekday) == w && (int64(n.N) == (day-first)/7+1 || int64(n.N) == -((next-1-day)/7+1)) {
			return true
		}
	}
	return false
}

// inWeek checks BYWEEKNO. Weeks start on WKST and belong to the year that contains
// most of their days.
func (s *Series) inWeek(day, year int64) bool {
	switch {
	case day >= s.weekOne(year+1):
		year++
	case day < s.weekOne(year):
		year--
	}
	first := s.weekOne(year)
	n, all := (day-first)/7+1, (s.weekOne(year+1)-first)/7
	return slices.Contains(s.rule.WeekNo, int(n)) || slices.Contains(s.rule.WeekNo, int(n-all-1))
}

// weekOne returns the first day of the first week with at least four days in the
// year.
func (s *Series) weekOne(year int64) int64 {
	fourth := fromCivil(year, 1, 4)
	return fourth - floorMod(weekdayOf(fourth)-int64(s.rule.Week), 7)
}
