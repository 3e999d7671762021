// Package when reads the times and durations of inputs, in digits or in words.
package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/tools"
)

// Times parses the times of an input and collects the problems and the meanings of
// times in words.
type Times struct {
	Meanings
	env      *tools.Env
	problems []tools.Detail
}

// NewTimes returns a parser of times in the zone of env.
func NewTimes(env *tools.Env) *Times { return &Times{env: env} }

// Read parses a time of the past, in digits or in words; "" is the zero time. With
// last set, a day or a period without a time of day means its end.
func (t *Times) Read(field, text string, last bool) time.Time {
	return t.read(field, text, last, dates.Past, nil)
}

// ReadNext parses a time of the future, likewise.
func (t *Times) ReadNext(field, text string) time.Time {
	return t.read(field, text, false, dates.Future, nil)
}

// read parses a time. shown returns the part of it that the result reports; nil is
// all.
func (t *Times) read(field, text string, last bool, prefer dates.Prefer,
	shown func(dates.Moment) dates.Moment) time.Time {
	if text == "" {
		return time.Time{}
	}
	m, ok := dates.Parse(text, t.env.Now().In(t.env.Zone), prefer)
	problem := ""
	if !ok {
		problem = t.env.Localize("must be a time such as 2026-01-02T15:04:05Z, 2026-01-02 or last month, not %q", text)
	} else if bound, limit := outside(InstantOf(t.env, m)); bound != "" {
		problem = t.env.Localize(bound, limit)
	}
	if problem != "" {
		t.problems = append(t.problems, tools.Detail{Path: "/" + field, Message: problem})
		return time.Time{}
	}
	if shown == nil {
		t.Add(t.env, m)
	} else {
		t.Add(t.env, shown(m))
	}
	switch {
	case last && m.End != nil:
		return InstantOf(t.env, *m.End)
	case last && !m.Timed:
		m.Wall = m.Last.AddDate(0, 0, 1)
	}
	return InstantOf(t.env, m)
}

// outside returns the reason why a time cannot be stored, which names a limit, or "". The
// limits leave room for a year of four digits in every zone; the zero time means none.
func outside(at time.Time) (reason tools.Text, limit string) {
	const earliest, latest = "0001-01-02T00:00:00Z", "9999-12-29T23:59:59Z"
	switch year := at.UTC().AddDate(0, 0, -1).Year(); {
	case year < 1:
		return "is too early: the earliest time is %s", earliest
	case at.UTC().AddDate(0, 0, 2).Year() > 9999:
		return "is too late: the latest time is %s", latest
	}
	return "", ""
}

// Span parses since and until.
func (t *Times) Span(since, until string) (from, to time.Time) {
	if since == "" || until == "" {
		return t.Read("since", since, false), t.Read("until", until, true)
	}
	return t.read("since", since, false, dates.Past, firstOf), t.read("until", until, true, dates.Past, lastOf)
}

func firstOf(m dates.Moment) dates.Moment {
	m.End, m.Last = nil, m.Wall
	return m
}

func lastOf(m dates.Moment) dates.Moment {
	notes, words := m.Notes, m.Words
	if m.End != nil {
		m = *m.End
		m.Notes, m.Words = notes, words
	} else if !m.Timed {
		m.Wall = m.Last
	}
	return m
}

// Err returns one error for all problems, or nil.
func (t *Times) Err() error {
	if len(t.problems) == 0 {
		return nil
	}
	return tools.InvalidError(t.env, t.problems).
		WithHint(t.env.Hint("Times are RFC 3339, or in the zone of %s: 2026-01-02, yesterday 15:00, last "+
			"month", tools.Flag("tz")))
}

// OptionalTime parses an optional time. problem is the reason why it is invalid, or "".
func OptionalTime(env *tools.Env, name, text string) (at time.Time, problem string) {
	if text == "" {
		return at, ""
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, env.Localize("%s must be a time such as 2026-01-02T15:04:05Z, not %q", name, text)
	}
	if bound, limit := outside(at); bound != "" {
		return time.Time{}, env.Localize("%s %s", name, env.Localize(bound, limit))
	}
	return at, ""
}

// MaxDuration is the longest accepted duration. It prevents overflow.
const MaxDuration = 1000 * time.Hour

// units has the letter of each unit of time that people write out.
var units = strings.NewReplacer(" ", "", "　", "",
	"weeks", "w", "week", "w", "週間", "w", "週", "w",
	"days", "d", "day", "d", "日間", "d", "日", "d",
	"hours", "h", "hour", "h", "hrs", "h", "hr", "h", "時間", "h",
	"minutes", "m", "minute", "m", "mins", "m", "min", "m", "分", "m",
	"seconds", "s", "second", "s", "secs", "s", "sec", "s", "秒", "s")

// CompactUnits returns a length of time with letters for its units: 1d2h for
// "1 day 2 hours" and 1日2時間.
func CompactUnits(text string) string { return units.Replace(strings.ToLower(text)) }

// ParseDuration parses durations such as 30s, 2m, 1h30m, 2d and 90 minutes. A bare
// number means seconds, and a day has 24 hours.
func ParseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds <= MaxDuration.Seconds() {
		return checkDuration(time.Duration(seconds*float64(time.Second)), text)
	}
	rest, hours, found := CompactUnits(text), 0, false
	for _, unit := range []struct {
		letter string
		hours  int
	}{{"w", 7 * 24}, {"d", 24}} {
		number, after, ok := strings.Cut(rest, unit.letter)
		if n, err := strconv.ParseUint(number, 10, 16); ok && err == nil {
			rest, hours, found = after, hours+int(n)*unit.hours, true
		}
	}
	if rest == "" && found {
		rest = "0"
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return d, err
	}
	if d >= 0 && d <= MaxDuration {
		d += time.Duration(hours) * time.Hour
	}
	return checkDuration(d, text)
}

func checkDuration(d time.Duration, text string) (time.Duration, error) {
	if d < 0 || d > MaxDuration {
		return d, fmt.Errorf("below zero, or too long: %s", text)
	}
	return d, nil
}
