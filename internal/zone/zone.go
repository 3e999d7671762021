// Package zone turns wall clock into instants and back, and finds time zones
// by the names that calendars in the wild give them.
//
// A wall clock is a [time.Time] in UTC whose fields are read on a clock in some
// zone. Package time offers Date for this, which takes either side of a change
// of the clocks; here it is always the side that RFC 5545 §3.3.5 names.
package zone

import "time"

// reach is more than any zone was ever away from UTC.
const reach = 27 * time.Hour

// Instant returns the instant at which clocks in loc show wall. A time that the
// clocks pass over is read with the offset before the change, a time that they
// show twice is the first of the two.
func Instant(wall time.Time, loc *time.Location) time.Time {
	seconds := wall.Unix()
	at := time.Unix(seconds, 0).Add(-reach)
	_, before := at.In(loc).Zone()
	for end := at.Add(2 * reach); at.Before(end); {
		local := at.In(loc)
		_, offset := local.Zone()
		start, next := local.ZoneBounds()
		if !next.IsZero() && !next.After(at) { // golang/go#81583: the last day of some leap years after 2037
			start, next = time.Time{}, at.Add(time.Hour)
		}
		there := seconds - int64(offset)
		switch {
		case !start.IsZero() && there < start.Unix(): // between the two periods: in the gap
			return time.Unix(seconds-int64(before), int64(wall.Nanosecond())).In(loc)
		case next.IsZero() || there < next.Unix():
			return time.Unix(there, int64(wall.Nanosecond())).In(loc)
		}
		at, before = next, offset
	}
	return time.Unix(seconds-int64(before), int64(wall.Nanosecond())).In(loc)
}

// Wall returns what clocks in loc show at an instant.
func Wall(t time.Time, loc *time.Location) time.Time {
	t = t.In(loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// Day returns the wall clock's midnight of the day that t shows in its zone.
func Day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// Same reports whether clocks in a and b have shown the same for as long as
// events may be kept, which is looked at once a week.
func Same(a, b *time.Location, from, to time.Time) bool {
	for t := from; t.Before(to); t = t.Add(7 * 24 * time.Hour) {
		_, x := t.In(a).Zone()
		_, y := t.In(b).Zone()
		if x != y {
			return false
		}
	}
	return true
}
