package agenda

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/legible"
	"techo/internal/zone"
	"techo/store/event"
	"techo/tools"
	"techo/tools/when"
)

// Checker collects the problems of an input that the schema cannot find.
type Checker struct {
	Env      *tools.Env
	Problems []tools.Detail
	examples bool   // a day or a time is missing or could not be read: show examples
	hint     string // of another problem
	offset   bool   // the start has an offset from UTC instead of a zone
	told     string // the field with a problem in its repetition, which is its only one
	Meanings when.Meanings
}

// Add adds a problem of a field, once.
func (f *Checker) Add(field string, message tools.Text, args ...any) {
	d := tools.Detail{Path: "/" + field, Message: f.Env.Localize(message, args...)}
	same := func(p tools.Detail) bool { return p.Path == d.Path && (p.Message == d.Message || field == f.told) }
	if !slices.ContainsFunc(f.Problems, same) {
		f.Problems = append(f.Problems, d)
	}
}

// Err returns one error for all problems, or nil.
func (f *Checker) Err() error {
	if len(f.Problems) == 0 {
		return nil
	}
	e := tools.InvalidError(f.Env, f.Problems)
	if e.Hint = cmp.Or(f.hint, e.Hint); f.examples && f.told == "" {
		e.Hint = f.Env.Hint("Examples of days and times: 2026-01-05, 2026-01-05T10:00, tomorrow 10:00, next tue, +3d")
	}
	return e
}

// Required reports a missing day or time.
func (f *Checker) Required(field string) {
	f.examples = true
	f.Add(field, "is required")
}

// callerNow returns the present instant in the zone of the caller.
func callerNow(env *tools.Env) time.Time { return env.Now().In(env.Zone) }

// now returns the wall clock time of the caller.
func now(env *tools.Env) time.Time { return zone.Wall(env.Now(), env.Zone) }

// Today returns the day of the caller.
func Today(env *tools.Env) time.Time { return zone.Day(now(env)) }

// Days parses a day or a period such as "next week", and adds its meaning. It
// returns its first and its last day. Both are otherwise for "" and, after a
// problem was reported, for an invalid text.
func (f *Checker) Days(field, text string, otherwise time.Time) (first, last time.Time) {
	return f.days(field, text, otherwise, true)
}

// Day is Days for what takes one day, the first one of a period.
func (f *Checker) Day(field, text string, otherwise time.Time) time.Time {
	first, _ := f.days(field, text, otherwise, false)
	return first
}

func (f *Checker) days(field, text string, otherwise time.Time, whole bool) (first, last time.Time) {
	if text == "" {
		return otherwise, otherwise
	}
	m, ok := dates.Parse(text, callerNow(f.Env), dates.Future)
	if !ok {
		f.examples = true
		f.Add(field, "must be a day, not %q", legible.Clip(text))
		return otherwise, otherwise
	}
	if m = settle(f.Env, m); m.Timed { // a time has a day
		m.Wall, m.Timed, m.Offset, m.End = m.Last, false, false, nil
	}
	if !whole {
		if field == "date" && m.Last.After(m.Wall) {
			f.Meanings.AddNote(f.Env.Localize("%q is several days, so the first one was taken", text))
		}
		m.Last = m.Wall
	}
	f.Meanings.Add(f.Env, m)
	return m.Wall, m.Last
}

// settle moves a time with an offset or a zone into the zone of the caller.
func settle(env *tools.Env, m dates.Moment) dates.Moment {
	if m.Offset || m.Zone != nil {
		m.Instant, m.Offset = when.InstantOf(env, m), true
		m.Wall = zone.Wall(m.Instant, env.Zone)
		m.Last = zone.Day(m.Wall)
	}
	if m.End != nil {
		end := settle(env, *m.End)
		m.End = &end
	}
	return m
}

// Clock parses a time of day. It returns otherwise for "".
func (f *Checker) Clock(field, text string, otherwise time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	c, ok := dates.Clock(text)
	if !ok {
		f.examples = true
		f.Add(field, "must be a time such as 09:00, not %q", legible.Clip(text))
		return otherwise
	}
	return c
}

// DateRange parses the days of a query: one day, or an inclusive range. It returns
// the midnights at its beginning and end.
func (f *Checker) DateRange(date, from, to string) (first, end time.Time) {
	switch {
	case date != "" && (from != "" || to != ""):
		f.Add("date", "cannot be combined with date_from or date_to")
		return Today(f.Env), Today(f.Env)
	case date != "":
		first, last := f.Days("date", date, Today(f.Env))
		return first, last.AddDate(0, 0, 1)
	}
	known := len(f.Problems)
	first, last := f.days("date_from", from, Today(f.Env), to == "")
	if to != "" {
		last = f.lastDay("date_to", to, first)
	}
	if from == "" && last.Before(first) { // a range up to a day in the past is that day
		return last, last.AddDate(0, 0, 1)
	}
	if last.Before(first) && len(f.Problems) == known {
		f.Add("date_to", "must not be before date_from (%s)", first.Format(time.DateOnly))
	}
	return first, last.AddDate(0, 0, 1)
}

// lastDay parses the last day of a range that begins on a day.
func (f *Checker) lastDay(field, text string, first time.Time) time.Time {
	m, ok := dates.ParseEnd(text, first, callerNow(f.Env))
	if !ok {
		f.examples = true
		f.Add(field, "must be a day, not %q", legible.Clip(text))
		return first
	}
	m = settle(f.Env, m)
	m.Wall, m.Timed, m.Offset, m.End = m.Last, false, false, nil
	f.Meanings.Add(f.Env, m)
	return m.Last
}

// InstantAt returns the instant of a wall clock time of the caller.
func InstantAt(env *tools.Env, wall time.Time) time.Time { return zone.Instant(wall, env.Zone) }

// Moment parses a start or an end. A time without a day is on the day of base, or
// the next such time if base is zero.
func (f *Checker) Moment(field, text string, base time.Time) (dates.Moment, bool) {
	if c, ok := dates.Clock(text); ok && !base.IsZero() {
		at := zone.Day(base).Add(c)
		return dates.Moment{Wall: at, Last: zone.Day(at), Timed: true}, true
	}
	if m, ok := dates.Parse(text, callerNow(f.Env), dates.Future); ok {
		if m.Zone != nil { // settle replaces its clock
			f.Meanings.AddClock(f.Env, m)
		}
		if field == "start" && m.Offset && hasOffset(text) {
			_, there := m.Instant.Zone()
			_, here := m.Instant.In(f.Env.Zone).Zone()
			f.offset = there != here
		}
		m = settle(f.Env, m)
		return m, f.checkLatest(field, m)
	}
	f.examples = true
	f.Add(field, "must be a day or a time, not %q", legible.Clip(text))
	return dates.Moment{}, false
}

// hasOffset reports whether a text ends with an offset from UTC.
func hasOffset(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(strings.ToUpper(text), "Z") || len(text) > 6 && strings.ContainsAny(text[len(text)-6:len(text)-4], "+-")
}

// Zoned notes that a series whose start has an offset stays in the zone of the caller.
func (f *Checker) Zoned(e *event.Event) {
	if f.offset && e.Recurs() {
		f.Meanings.AddNote(f.Env.Localize("the start has an offset and no zone, so the series is in %s; "+
			"to keep it in another zone: 2026-01-05 09:00 America/New_York", e.Zone))
	}
}

// named reports whether a zone has a name, so that an event can keep it.
func named(loc *time.Location) bool {
	if loc == nil {
		return false
	}
	_, known := zone.Find(loc.String())
	return known
}

// checkLatest reports a day after the latest one, which leaves room for ends whose years need
// four digits.
func (f *Checker) checkLatest(field string, m dates.Moment) bool {
	return CheckLatestDay(f, field, m.Wall) && CheckLatestDay(f, field, m.Last)
}

// CheckLatestDay reports a day that is too late. ok is false then.
func CheckLatestDay(f *Checker, field string, day time.Time) bool {
	ok := day.Year() < 9999
	if !ok {
		f.Add(field, "is too late: the latest day is %s", "9998-12-31")
	}
	return ok
}

// isWithin reports whether a period ends a time that something may take: 今週中, until next week.
func isWithin(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	first, _, _ := strings.Cut(text, " ")
	for _, end := range []string{"中", "中に", "いっぱい", "いっぱいに", "まで", "までに"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return first == "until" || first == "till" || first == "within" || first == "during" || first == "sometime"
}

// Start parses the start of an event or when a to-do is due, and adds its meaning. Of a period, the first
// day counts; of one in which something is due, the last one if it has begun or is named to its end. So it does
// of days from one to another. See moment for base.
func (f *Checker) Start(field, text string, base time.Time) (dates.Moment, bool) {
	m, ok := f.Moment(field, text, base)
	if !ok {
		return m, false
	}
	switch {
	case field == "due" && !m.Timed && m.Last.After(m.Wall) && (!m.Period || isWithin(text) || !m.Wall.After(Today(f.Env))):
		f.Meanings.AddNote(f.Env.Localize("%q is several days, so the last one was taken", text))
		m.Wall = m.Last
	case m.Period:
		f.Meanings.AddNote(f.Env.Localize("%q is several days, so the first one was taken", text))
		m.Last = m.Wall
	}
	f.Meanings.Add(f.Env, m)
	past := !m.Timed && m.Wall.Before(Today(f.Env)) || m.Timed && when.InstantOf(f.Env, m).Before(f.Env.Now())
	if past && m.Words {
		f.Meanings.AddNote(f.Env.Localize("%s is in the past", f.Meanings.Meaning().Interpreted))
	}
	return m, true
}

// Among are the calendars that a call asks for beside its own.
type Among struct {
	Calendars []string `json:"calendars,omitempty" doc:"More calendars, beside calendar or the default one"`
	Only      []string `json:"only_calendars,omitempty" doc:"Only these calendars, not the default one"`
}

// Names returns the calendar names of a query; "" is the chosen default.
func (f *Checker) Names(one string, among Among) []string {
	if len(among.Only) > 0 {
		if one != "" || len(among.Calendars) > 0 {
			f.Add("only_calendars", "cannot be combined with calendar or calendars")
		}
		return among.Only
	}
	return append([]string{one}, among.Calendars...)
}

// DayRange returns the days of a query as a text.
func DayRange(first, end time.Time) string {
	last := end.AddDate(0, 0, -1)
	if last.Equal(first) {
		return first.Format(time.DateOnly)
	}
	return fmt.Sprintf("%s – %s", first.Format(time.DateOnly), last.Format(time.DateOnly))
}
