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
	return &tools.Error{Code: tools.InvalidInput, Message: strings.Join(texts, "; "), Details: f.problems,
		Hint: f.env.Localize("Examples of days and times: 2026-01-05, 2026-01-05T10:00, tomorrow 10:00, next tue, +3d")}
}

// required reports a missing field.
func (f *inputChecker) required(field string) {
	f.add(field, "is required")
}

// now returns the wall clock time of the caller.
func now(env *tools.Env) time.Time { return zone.Wall(env.Now(), env.Zone) }

func today(env *tools.Env) time.Time { return zone.Day(now(env)) }

// day parses a day. It returns otherwise for "" and, after reporting a problem,
// for an invalid text.
func (f *inputChecker) day(field, text string, otherwise time.Time) time.Time {
	if text == "" {
		return otherwise
	}
	if d, ok := dates.Day(text, today(f.env)); ok {
		return d
	}
	if m, ok := dates.Parse(text, now(f.env)); ok { // a time has a day
		if m.Offset {
			m.Wall = zone.Wall(m.Instant, f.env.Zone)
		}
		return zone.Day(m.Wall)
	}
	f.add(field, "must be a day, not %q", clip(text))
	return otherwise
}

// clock parses a time of day. It returns otherwise for "".
func (f *inputChecker) clock(field, text string, otherwise time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	c, ok := dates.Clock(text)
	if !ok {
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
		first = f.day("date", date, today(f.env))
		return first, first.AddDate(0, 0, 1)
	}
	known := len(f.problems)
	first = f.day("date_from", from, today(f.env))
	if from == "" && to != "" {
		if last := f.day("date_to", to, first); last.Before(first) { // a range up to a day in the past is that day
			return last, last.AddDate(0, 0, 1)
		}
	}
	last := f.day("date_to", to, first)
	if last.Before(first) && len(f.problems) == known {
		f.add("date_to", "must not be before date_from (%s)", first.Format(time.DateOnly))
	}
	return first, last.AddDate(0, 0, 1)
}

// instantAt returns the instant of a wall clock time of the caller.
func instantAt(env *tools.Env, wall time.Time) time.Time { return zone.Instant(wall, env.Zone) }

// moment parses a start or an end. A time without a day is on the day of base.
func (f *inputChecker) moment(field, text string, base time.Time) (dates.Moment, bool) {
	if c, ok := dates.Clock(text); ok {
		return dates.Moment{Wall: zone.Day(base).Add(c), Timed: true}, true
	}
	if m, ok := dates.Parse(text, now(f.env)); ok {
		if m.Offset {
			m.Wall = zone.Wall(m.Instant, f.env.Zone)
		}
		if y := m.Wall.Year(); y >= 1 && y < 9999 { // leaves room for ends that need four digits
			return m, true
		}
	}
	f.add(field, "must be a day or a time, not %q", clip(text))
	return dates.Moment{}, false
}

// instantOf returns the instant of a moment.
func instantOf(env *tools.Env, m dates.Moment) time.Time {
	if m.Offset {
		return m.Instant
	}
	return instantAt(env, m.Wall)
}

// calendars returns the calendar names of a query.
func calendars(one string, more []string) []string {
	if one == "" && len(more) > 0 {
		return more
	}
	if one == "" {
		one = "default"
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
