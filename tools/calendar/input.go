package calendar

import (
	"fmt"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
	"techo/tools"
)

// inputChecker collects the problems of an input that the schema cannot find.
type inputChecker struct {
	env      *tools.Env
	problems []tools.Detail
	examples bool // a day or a time is missing or could not be read: show examples
	meanings tools.Meanings
}

func (f *inputChecker) add(field string, message tools.Text, args ...any) {
	f.problems = append(f.problems, tools.Detail{Path: "/" + field, Message: f.env.Localize(message, args...)})
}

// err returns one error for all problems, or nil.
func (f *inputChecker) err() error {
	if len(f.problems) == 0 {
		return nil
	}
	var texts []string
	for _, d := range f.problems {
		texts = append(texts, f.env.Localize("%s %s", strings.TrimPrefix(d.Path, "/"), d.Message))
	}
	e := &tools.Error{Code: tools.InvalidInput, Message: strings.Join(texts, "; "), Details: f.problems}
	if f.examples {
		e.Hint = f.env.Hint("Examples of days and times: 2026-01-05, 2026-01-05T10:00, tomorrow 10:00, next tue, +3d")
	}
	return e
}

// required reports a missing day or time.
func (f *inputChecker) required(field string) {
	f.examples = true
	f.add(field, "is required")
}

// callerNow returns the present instant in the zone of the caller.
func callerNow(env *tools.Env) time.Time { return env.Now().In(env.Zone) }

// now returns the wall clock time of the caller.
func now(env *tools.Env) time.Time { return zone.Wall(env.Now(), env.Zone) }

func today(env *tools.Env) time.Time { return zone.Day(now(env)) }

// days parses a day or a period such as "next week", and adds its meaning. It
// returns its first and its last day. Both are otherwise for "" and, after a
// problem was reported, for an invalid text.
func (f *inputChecker) days(field, text string, otherwise time.Time) (first, last time.Time) {
	if text == "" {
		return otherwise, otherwise
	}
	m, ok := dates.Parse(text, callerNow(f.env), dates.Future)
	if !ok {
		f.examples = true
		f.add(field, "must be a day, not %q", clip(text))
		return otherwise, otherwise
	}
	if m = settle(f.env, m); m.Timed { // a time has a day
		m.Wall, m.Timed, m.Offset, m.End = m.Last, false, false, nil
	}
	f.meanings.Add(f.env, m)
	return m.Wall, m.Last
}

// settle moves a time with an offset or a zone into the zone of the caller.
func settle(env *tools.Env, m dates.Moment) dates.Moment {
	if m.Offset || m.Zone != nil {
		m.Instant, m.Offset, m.Zone = tools.InstantOf(env, m), true, nil
		m.Wall = zone.Wall(m.Instant, env.Zone)
		m.Last = zone.Day(m.Wall)
	}
	if m.End != nil {
		end := settle(env, *m.End)
		m.End = &end
	}
	return m
}

// clock parses a time of day. It returns otherwise for "".
func (f *inputChecker) clock(field, text string, otherwise time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	c, ok := dates.Clock(text)
	if !ok {
		f.examples = true
		f.add(field, "must be a time such as 09:00, not %q", clip(text))
		return otherwise
	}
	return c
}

// dateRange parses the days of a query: one day, or an inclusive range. It returns
// the midnights at its beginning and end.
func (f *inputChecker) dateRange(date, from, to string) (first, end time.Time) {
	switch {
	case date != "" && (from != "" || to != ""):
		f.add("date", "cannot be combined with date_from or date_to")
		return today(f.env), today(f.env)
	case date != "":
		first, last := f.days("date", date, today(f.env))
		return first, last.AddDate(0, 0, 1)
	}
	known := len(f.problems)
	first, _ = f.days("date_from", from, today(f.env))
	last := first
	if to != "" {
		last = f.lastDay("date_to", to, first)
	}
	if from == "" && last.Before(first) { // a range up to a day in the past is that day
		return last, last.AddDate(0, 0, 1)
	}
	if last.Before(first) && len(f.problems) == known {
		f.add("date_to", "must not be before date_from (%s)", first.Format(time.DateOnly))
	}
	return first, last.AddDate(0, 0, 1)
}

// lastDay parses the last day of a range that begins on a day.
func (f *inputChecker) lastDay(field, text string, first time.Time) time.Time {
	m, ok := dates.ParseEnd(text, first, callerNow(f.env))
	if !ok {
		f.examples = true
		f.add(field, "must be a day, not %q", clip(text))
		return first
	}
	m = settle(f.env, m)
	m.Wall, m.Timed, m.Offset, m.End = m.Last, false, false, nil
	f.meanings.Add(f.env, m)
	return m.Last
}

// instantAt returns the instant of a wall clock time of the caller.
func instantAt(env *tools.Env, wall time.Time) time.Time { return zone.Instant(wall, env.Zone) }

// moment parses a start or an end. A time without a day is on the day of base, or
// the next such time if base is zero.
func (f *inputChecker) moment(field, text string, base time.Time) (dates.Moment, bool) {
	if c, ok := dates.Clock(text); ok && !base.IsZero() {
		at := zone.Day(base).Add(c)
		return dates.Moment{Wall: at, Last: zone.Day(at), Timed: true}, true
	}
	if m, ok := dates.Parse(text, callerNow(f.env), dates.Future); ok {
		if m.Zone != nil { // which settle replaces
			f.meanings.AddClock(f.env, m)
		}
		m = settle(f.env, m)
		return m, checkLatest(f, field, m)
	}
	f.examples = true
	f.add(field, "must be a day or a time, not %q", clip(text))
	return dates.Moment{}, false
}

// checkLatest reports a day after the latest one, which leaves room for ends whose years need
// four digits.
func checkLatest(f *inputChecker, field string, m dates.Moment) bool {
	return checkLatestDay(f, field, m.Wall) && checkLatestDay(f, field, m.Last)
}

func checkLatestDay(f *inputChecker, field string, day time.Time) bool {
	ok := day.Year() < 9999
	if !ok {
		f.add(field, "is too late: the latest day is %s", "9998-12-31")
	}
	return ok
}

// start parses the start of an event, and adds its meaning. Of a period, the first
// day counts. See moment for base.
func (f *inputChecker) start(field, text string, base time.Time) (dates.Moment, bool) {
	m, ok := f.moment(field, text, base)
	if !ok {
		return m, false
	}
	if m.Period {
		f.meanings.AddNote(f.env.Localize("%q is several days, so the first one was taken", text))
		m.Last = m.Wall
	}
	f.meanings.Add(f.env, m)
	past := !m.Timed && m.Wall.Before(today(f.env)) || m.Timed && tools.InstantOf(f.env, m).Before(f.env.Now())
	if past && m.Words {
		f.meanings.AddNote(f.env.Localize("%s is in the past", f.meanings.Meaning().Interpreted))
	}
	return m, true
}

// calendars returns the calendar names of a query; "" is the chosen default.
func calendars(one string, more []string) []string {
	if one == "" && len(more) > 0 {
		return more
	}
	return append([]string{one}, more...)
}

// dayRange returns the days of a query as a text.
func dayRange(first, end time.Time) string {
	last := end.AddDate(0, 0, -1)
	if last.Equal(first) {
		return first.Format(time.DateOnly)
	}
	return fmt.Sprintf("%s – %s", first.Format(time.DateOnly), last.Format(time.DateOnly))
}
