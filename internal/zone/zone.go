// Package zone converts wall clock times to instants and back, and finds time
// zones by the names that calendar programs use.
//
// A wall clock time is a [time.Time] in UTC whose fields a clock in some zone
// shows. time.Date converts such fields too, but may choose either side of a
// clock change. This package always follows RFC 5545 §3.3.5.
package zone

import "time"

// maxOffset is larger than the UTC offset of any zone at any time.
const maxOffset = 27 * time.Hour

// Instant returns the instant at which clocks in loc show wall. For a time that
// the clocks skip it uses the offset before the change. For a time that they
// show twice it returns the first instant.
func Instant(wall time.Time, loc *time.Location) time.Time {
	at, _ := resolve(wall, loc)
	return at
}

// Latest is Instant, except that it returns the second instant of a time that
// clocks show twice.
func Latest(wall time.Time, loc *time.Location) time.Time {
	first := Instant(wall, loc)
	_, next := first.ZoneBounds()
	if next.IsZero() || !next.After(first) {
		return first
	}
	_, offset := next.Zone()
	second := time.Unix(wall.Unix()-int64(offset), int64(wall.Nanosecond())).In(loc)
	if second.Before(next) || !Wall(second, loc).Equal(wall) {
		return first
	}
	return second
}

// Reached returns the first instant at which clocks in loc show wall or a later
// time. It differs from Instant for a time that the clocks skip: there it is the
// instant of the change, and skipped is true.
func Reached(wall time.Time, loc *time.Location) (at time.Time, skipped bool) {
	at, change := resolve(wall, loc)
	if change.IsZero() {
		return at, false
	}
	return change, true
}

// resolve returns the result of Instant and, for a time that the clocks skip, the
// instant of the change.
func resolve(wall time.Time, loc *time.Location) (instant, change time.Time) {
	if loc == time.UTC {
		return wall.UTC(), time.Time{}
	}
	seconds := wall.Unix()
	at := time.Unix(seconds, 0).Add(-maxOffset)
	_, before := at.In(loc).Zone()
	for end := at.Add(2 * maxOffset); at.Before(end); {
		local := at.In(loc)
		_, offset := local.Zone()
		start, next := local.ZoneBounds()
		if !next.IsZero() && !next.After(at) { // golang/go#81583: the last day of some leap years after 2037
			start, next = time.Time{}, at.Add(time.Hour)
		}
		there := seconds - int64(offset)
		switch {
		case !start.IsZero() && there < start.Unix(): // between the two periods: in the gap
			return time.Unix(seconds-int64(before), int64(wall.Nanosecond())).In(loc), start
		case next.IsZero() || there < next.Unix():
			return time.Unix(there, int64(wall.Nanosecond())).In(loc), time.Time{}
		}
		at, before = next, offset
	}
	return time.Unix(seconds-int64(before), int64(wall.Nanosecond())).In(loc), time.Time{}
}

// Wall returns the wall clock time in loc at an instant.
func Wall(t time.Time, loc *time.Location) time.Time {
	if loc == time.UTC {
		return t.Round(0).UTC()
	}
	t = t.In(loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// Day returns midnight, as a wall clock time, of the day of t in its zone.
func Day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}
