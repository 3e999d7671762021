// Package dates parses the days and times that people and programs write, in
// English and Japanese: 2026-01-05, June 5 3pm, next tue, in 2 hours, 来月3日,
// 明日15時. docs/calendar.md states the rules.
//
// A day or a wall clock time is a time.Time in UTC. Only its fields count: it
// has no zone until the caller chooses one.
package dates

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Moment is the meaning of a text: one or several days, a wall clock time, or an
// instant.
type Moment struct {
	Wall    time.Time      // the first day at midnight, or the wall clock time
	Last    time.Time      // the last day, at midnight; for one day, the same day
	Timed   bool           // the text has a time of day
	Offset  bool           // the text means an instant: use Instant instead of Wall
	Instant time.Time      // only if Offset
	Zone    *time.Location // the zone of Wall if the text names one, else nil
	Period  bool           // the text names a week, a month or another period, but not its days
	Length  time.Duration  // "for 2 hours"; 0 if the text has no length
	End     *Moment        // the end of a range of times: "3pm to 5pm"
	Words   bool           // the text is not a complete date in digits
	Notes   []Note         // the choices that were made between several meanings

	relative bool // the text counts its day from today
}

// Prefer selects the day of a text that fits several days, such as "Friday".
type Prefer bool

// The preferences.
const (
	Future Prefer = false // the first such day or time from now on
	Past   Prefer = true  // the last such day or time until now
)

// Choice is a decision between several meanings of a text.
type Choice int

// The choices.
const (
	ReadAs     Choice = iota + 1 // Text, which is vague, was read as At
	NotOther                     // Text was read as At, and not as Other
	Over                         // Other, the first match, is over: At is the next one
	MonthFirst                   // Text was read as month/day
	Mismatch                     // At, a day, is not on the weekday Text
	Minutes                      // Text, a number with m, was read as minutes
)

// Note is a choice that a caller may want to show.
type Note struct {
	Choice    Choice
	Text      string // the part of the text
	At, Other time.Time
	Timed     bool // At and Other are times, not days
}

// maxText is the length of the longest text that is parsed, in bytes.
const maxText = 150

// Parse parses a day, a time, or a day with a time. Relative days and times count
// from now, whose location is the zone of the caller.
func Parse(text string, now time.Time, prefer Prefer) (Moment, bool) {
	if day, ok := plainDay(text); ok {
		return Moment{Wall: day, Last: day}, true
	}
	if len(text) > maxText || !utf8.ValidString(text) {
		return Moment{}, false
	}
	if t, ok := instant(strings.TrimSpace(text)); ok {
		return Moment{Wall: wallOf(t), Last: dayOf(t), Instant: t, Timed: true, Offset: true}, true
	}
	whole := normalize(text)
	s, zone := cutZone(whole)
	m, ok := parseText(s, now, prefer)
	if ok && zone != nil && !m.relative { // the next such time there; but tomorrow is that of the caller
		m, ok = parseText(s, now.In(zone), prefer)
	}
	if m.Offset && m.End != nil && !m.End.Offset && zone != nil { // the offset belongs to the end only
		m, ok = parseRange(whole, now, prefer)
		zone = nil
	}
	if !ok || !m.inRange() || zone == nil {
		return m, ok && m.inRange()
	}
	if !m.Timed || m.Offset {
		return Moment{}, false // a day, or "in 2 hours", has no zone
	}
	if m.Zone = zone; m.End != nil {
		m.End.Zone = zone
	}
	return m, true
}

func parseText(s string, now time.Time, prefer Prefer) (m Moment, ok bool) {
	if m, _, ok = parse(s, now, prefer); ok {
		return m, true
	}
	if m, ok = parseRange(s, now, prefer); ok {
		return m, true
	}
	return period(s, now, prefer)
}

// plainDay parses a day as programs write it, such as 2026-01-05. Every other form takes a
// hundred times as long, because it needs the tables of words.
func plainDay(text string) (day time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil && day.Year() >= 1
}

// inRange reports whether the years have four digits.
func (m *Moment) inRange() bool {
	return m.Wall.Year() >= 1 && m.Wall.Year() <= 9999 && m.Last.Year() >= 1 && m.Last.Year() <= 9999 &&
		(m.End == nil || m.End.inRange())
}

// instantLayouts are the forms with a UTC offset.
func instantLayouts() []string {
	return []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05 Z07:00",
		"2006-01-02 15:04:05 Z0700", "20060102T150405Z07:00", "20060102T150405Z0700", "2006-01-02 15:04Z07:00",
		"2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07",
		"Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04 -0700",
		"2006-01-02 15:04 Z07:00", "2006-01-02 15:04Z0700", "2006-01-02 15:04 Z0700"}
}

// instant parses a complete date and time with an offset. "10:00-11:30" behind a
// blank is a range, not the offset of a zone, if its end is after its start.
func instant(text string) (time.Time, bool) {
	digits := 0
	for i := range len(text) {
		if digit(text[i]) {
			digits++
		}
	}
	if digits < 12 { // the year to the minute: most texts are none, and no layout needs a try
		return time.Time{}, false
	}
	text = strings.ToUpper(text)
	for _, layout := range instantLayouts() {
		t, err := time.Parse(layout, text)
		if err != nil || t.Year() < 1 || t.Year() > 9999 {
			continue
		}
		_, offset := t.Zone()
		if strings.HasPrefix(layout, "2006-01-02 15:04Z") && offset < 0 &&
			-offset > t.Hour()*3600+t.Minute()*60 {
			return t, false
		}
		return t, true
	}
	return time.Time{}, false
}

// wallOf returns the wall clock time that t shows.
func wallOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// addMonths adds months to a day and stays in the resulting month: one month
// after 31 January is the last day of February.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return first.AddDate(0, 0, min(t.Day(), lastDay(first))-1)
}

// lastDay returns the number of days in the month of t.
func lastDay(t time.Time) int { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// monday returns the first day of the week of t. Weeks begin on Monday.
func monday(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }

// Weekday parses the name of a weekday.
func Weekday(text string) (time.Weekday, bool) {
	t, ok := terms()[normalize(text)]
	return time.Weekday(t.n), ok && t.kind == weekdayTerm
}

// Clock parses a time of day: 9:00, 09:00:30, 9am, 15時30分, 午後3時, noon. It
// returns the time since midnight. 24:00 is the end of the day.
func Clock(text string) (time.Duration, bool) {
	if len(text) > maxText || !utf8.ValidString(text) {
		return 0, false
	}
	f, ok := scan(normalize(text))
	if !ok || f.hasDay() || !f.clock.set || f.length != 0 || f.now || len(f.shifts) > 0 {
		return 0, false
	}
	c := f.timeOfDay()
	return c, c <= 24*time.Hour
}
