package calendar

import (
	"fmt"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/zone"
	"techo/tools"
)

// faults collects what is wrong with an input beyond its schema.
type faults struct {
	env  *tools.Env
	list []tools.Detail
}

func (f *faults) add(field string, message tools.Say, args ...any) {
	f.list = append(f.list, tools.Detail{Path: "/" + field, Message: f.env.Say(message, args...)})
}

// err is one error of all faults, nil when there are none.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	var texts []string
	for _, d := range f.list {
		texts = append(texts, f.env.Say(tools.Say{EN: "%s %s", JA: "%s: %s"}, strings.TrimPrefix(d.Path, "/"), d.Message))
	}
	return &tools.Error{Code: tools.InvalidInput, Message: strings.Join(texts, "; "), Details: f.list,
		Hint: f.env.Say(tools.Say{EN: "Days and times are such as 2026-01-05, 2026-01-05T10:00, tomorrow 10:00, next tue, +3d",
			JA: "日付や時刻は 2026-01-05、2026-01-05T10:00、明日 10:00、来週火曜、+3d のように指定してください"})}
}

// required is the fault of a field that this use of the tool needs.
func (f *faults) required(field string) {
	f.add(field, tools.Say{EN: "is required", JA: "必須です"})
}

// now is what clocks show where the caller is.
func now(env *tools.Env) time.Time { return zone.Wall(env.Now(), env.Zone) }

func today(env *tools.Env) time.Time { return zone.Day(now(env)) }

// day reads a day, "" for otherwise. What is wrong is added to the faults.
func (f *faults) day(field, text string, otherwise time.Time) time.Time {
	if text == "" {
		return otherwise
	}
	if d, ok := dates.Day(text, today(f.env)); ok {
		return d
	}
	if m, ok := dates.Parse(text, now(f.env)); ok { // a time says its day too
		if m.Offset {
			m.Wall = zone.Wall(m.Instant, f.env.Zone)
		}
		return zone.Day(m.Wall)
	}
	f.add(field, tools.Say{EN: "must be a day, not %q", JA: "日付にしてください（「%s」は不可）"}, clip(text))
	return otherwise
}

// clock reads a time of the day, "" for otherwise.
func (f *faults) clock(field, text string, otherwise time.Duration) time.Duration {
	if text == "" {
		return otherwise
	}
	c, ok := dates.Clock(text)
	if !ok {
		f.add(field, tools.Say{EN: "must be a time such as 09:00, not %q", JA: "09:00 のような時刻にしてください（「%s」は不可）"}, clip(text))
		return otherwise
	}
	return c
}

// span reads the days of a query: a day, or one to another, which is included.
// It returns midnights, the last one after the last day.
func (f *faults) span(date, from, to string) (first, end time.Time) {
	switch {
	case date != "" && (from != "" || to != ""):
		f.add("date", tools.Say{EN: "is given along with date_from or date_to", JA: "date_from や date_to と同時に指定できません"})
		return today(f.env), today(f.env)
	case date != "":
		first = f.day("date", date, today(f.env))
		return first, first.AddDate(0, 0, 1)
	}
	known := len(f.list)
	first = f.day("date_from", from, today(f.env))
	if from == "" && to != "" {
		if last := f.day("date_to", to, first); last.Before(first) { // all up to a day that is over
			return last, last.AddDate(0, 0, 1)
		}
	}
	last := f.day("date_to", to, first)
	if last.Before(first) && len(f.list) == known {
		f.add("date_to", tools.Say{EN: "must not be before date_from (%s)", JA: "date_from（%s）以降にしてください"}, first.Format(time.DateOnly))
	}
	return first, last.AddDate(0, 0, 1)
}

// at is the instant at which clocks where the caller is show a wall clock.
func at(env *tools.Env, wall time.Time) time.Time { return zone.Instant(wall, env.Zone) }

// moment reads when something begins or ends. base is the day that a time
// alone is of.
func (f *faults) moment(field, text string, base time.Time) (dates.Moment, bool) {
	if c, ok := dates.Clock(text); ok {
		return dates.Moment{Wall: zone.Day(base).Add(c), Timed: true}, true
	}
	if m, ok := dates.Parse(text, now(f.env)); ok {
		if m.Offset {
			m.Wall = zone.Wall(m.Instant, f.env.Zone)
		}
		if y := m.Wall.Year(); y >= 1 && y <= 9999 {
			return m, true
		}
	}
	f.add(field, tools.Say{EN: "must be a day or a time, not %q", JA: "日付か日時にしてください（「%s」は不可）"}, clip(text))
	return dates.Moment{}, false
}

// instantOf is when a moment is.
func instantOf(env *tools.Env, m dates.Moment) time.Time {
	if m.Offset {
		return m.Instant
	}
	return at(env, m.Wall)
}

// calendars are the names that a query asks for.
func calendars(one string, more []string) []string {
	if one == "" && len(more) > 0 {
		return more
	}
	if one == "" {
		one = "default"
	}
	return append([]string{one}, more...)
}

// between writes the days of a query.
func between(first, end time.Time) string {
	last := end.AddDate(0, 0, -1)
	if last.Equal(first) {
		return first.Format(time.DateOnly)
	}
	return fmt.Sprintf("%s – %s", first.Format(time.DateOnly), last.Format(time.DateOnly))
}
