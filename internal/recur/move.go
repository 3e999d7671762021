package recur

import (
	"slices"
	"time"
)

// Move returns the rule of a series after moving one occurrence from one wall
// clock to another: every Monday becomes every Tuesday, the second Friday becomes
// the ordinal weekday of the new date. ok is false if no single rule describes the
// result.
func (r *Rule) Move(from, to time.Time, date bool) (moved *Rule, ok bool) {
	m := *r
	if !r.Until.IsZero() {
		if m.Until = r.Until.Add(to.Sub(from)); r.Form == UntilDate {
			m.Until = r.Until.AddDate(0, 0, int(floorDiv(to.Unix(), 86400)-floorDiv(from.Unix(), 86400)))
		}
	}
	m.Weekday, m.MonthDay, m.Month, m.Hour, m.Minute = slices.Clone(r.Weekday), slices.Clone(r.MonthDay),
		slices.Clone(r.Month), slices.Clone(r.Hour), slices.Clone(r.Minute)
	if r.occursAt(from, date) && !r.occursAt(to, date) {
		m.moveParts(from, to)
	}
	return &m, !r.occursAt(from, date) || m.occursAt(to, date)
}

// occursAt reports whether a rule that starts at a wall clock has an occurrence
// there.
func (r *Rule) occursAt(at time.Time, date bool) bool {
	once := *r
	once.Until, once.Count = time.Time{}, 0
	found := false
	New(&once, at, date, time.Time{}).Walk(at, at.Add(time.Second), func(t time.Time) bool {
		found = t.Equal(at)
		return false
	})
	return found
}

// moveParts changes the BY parts that select days, months and times of day.
func (r *Rule) moveParts(from, to time.Time) {
	days := int(floorDiv(to.Unix(), 86400) - floorDiv(from.Unix(), 86400))
	numbered := slices.ContainsFunc(r.Weekday, func(d Day) bool { return d.N != 0 })
	length := func(t time.Time) int { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }
	switch {
	case !numbered:
		for i, d := range r.Weekday {
			r.Weekday[i].Weekday = time.Weekday(floorMod(int64(d.Weekday)+int64(days), 7))
		}
	case len(r.Weekday) == 1 && r.Weekday[0].N > 0:
		r.Weekday[0] = Day{(to.Day()-1)/7 + 1, to.Weekday()}
	case len(r.Weekday) == 1:
		r.Weekday[0] = Day{-((length(to)-to.Day())/7 + 1), to.Weekday()}
	}
	if len(r.MonthDay) == 1 && len(r.Weekday) == 0 {
		if r.MonthDay[0] > 0 {
			r.MonthDay[0] = to.Day()
		} else {
			r.MonthDay[0] = to.Day() - length(to) - 1
		}
	}
	for _, one := range []struct {
		list []int
		now  int
	}{{r.Month, int(to.Month())}, {r.Hour, to.Hour()}, {r.Minute, to.Minute()}} {
		if len(one.list) == 1 {
			one.list[0] = one.now
		}
	}
}
