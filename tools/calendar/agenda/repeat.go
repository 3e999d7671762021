package agenda

import (
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/legible"
	"techo/internal/repeat"
	"techo/internal/zone"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

// Repeating is a repetition in words: the line of its recurrence, "" for none, and its first start
// and end as complete dates.
type Repeating struct{ Line, Start, End string }

// RepeatWords returns the words of the field repeat of an edit, "" for none. The field excludes a
// recurrence, and without words it removes that of the record.
func RepeatWords(f *Checker, repeat *string, recurrence *[]string) string {
	if repeat == nil {
		return ""
	}
	if *recurrence != nil {
		f.Add("repeat", "cannot be combined with recurrence")
	}
	if *repeat == "" {
		*recurrence = []string{}
	}
	return *repeat
}

// Repetition reads a repetition from words of its own, or else from those in a start that is no
// plain time, such as "every monday 7am". Without one it returns start and end as they are.
func (f *Checker) Repetition(field, words, start, end string) Repeating {
	same := Repeating{Start: start, End: end}
	rule, rest, ok := repeat.Find(words)
	switch {
	case words != "" && (!ok || rest != ""):
		f.Add("repeat", "must be a repetition, not %q", legible.Clip(words))
		f.hint = f.Env.Hint("Examples of repetitions: daily, weekdays, every 2 weeks on tue, monthly on the 15th, " +
			"every last friday; as RFC 5545: --recurrence FREQ=WEEKLY;BYDAY=MO")
		return same
	case words != "":
		rest = start
	default:
		if _, plain := dates.Parse(start, callerNow(f.Env), dates.Future); plain || start == "" {
			return same
		}
		if rule, rest, ok = repeat.Find(start); !ok {
			return same
		}
	}
	m, ok := f.firstOf(field, rule, rest)
	if !ok {
		return same
	}
	if rule.Doubt {
		f.Meanings.AddNote(f.Env.Localize("\"every second\" was read as every other"))
	}
	r := Repeating{"RRULE:" + rule.String() + until(f, rule, m), dayOrTime(m), end}
	switch {
	case end != "":
	case m.End != nil:
		r.End = dayOrTime(*m.End)
	case m.Length > 0:
		r.End = m.Length.String()
	case !m.Timed && m.Last.After(m.Wall):
		r.End = m.Last.Format(time.DateOnly)
	}
	f.Meanings.Repeats(f.Env, RuleText(f.Env, rule))
	return r
}

// firstOf returns the first time of a repetition: on its first day from today on, or from the day
// that a text names.
func (f *Checker) firstOf(field string, rule repeat.Rule, text string) (dates.Moment, bool) {
	today := Today(f.Env)
	if text == "" {
		day := rule.First(today)
		return dates.Moment{Wall: day, Last: day}, true
	}
	if clockAlone(text) {
		for day := rule.First(today); ; day = rule.First(day.AddDate(0, 0, 1)) {
			m, ok := dates.Parse(text, zone.Instant(day, f.Env.Zone).In(f.Env.Zone), dates.Future)
			if !ok || day.After(today) || !when.InstantOf(f.Env, m).Before(f.Env.Now()) {
				return m, ok
			}
		}
	}
	m, ok := f.Moment(field, text, time.Time{})
	if !ok {
		return m, false
	}
	day := zone.Day(m.Wall)
	if shift := rule.First(day).Sub(day); shift > 0 {
		f.Meanings.AddNote(f.Env.Localize("%s is no day of the repetition, so %s was taken",
			day.Format(time.DateOnly), day.Add(shift).Format(time.DateOnly)))
		m.Wall, m.Last = m.Wall.Add(shift), m.Last.Add(shift)
		if m.End != nil {
			m.End.Wall = m.End.Wall.Add(shift)
		}
	}
	return m, true
}

// clockAlone reports whether a text is a time of any day.
func clockAlone(text string) bool {
	for _, day := range []time.Time{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2024, 2, 15, 0, 0, 0, 0, time.UTC)} {
		m, ok := dates.Parse(text, day, dates.Future)
		if !ok || !m.Timed || m.Offset || m.Zone != nil || !zone.Day(m.Wall).Equal(day) {
			return false
		}
	}
	return true
}

// until returns the part of a rule with its last day, "" for none.
func until(f *Checker, rule repeat.Rule, start dates.Moment) string {
	if rule.Until == "" {
		return ""
	}
	m, ok := dates.Parse(rule.Until, callerNow(f.Env), dates.Future)
	if !ok {
		f.Add("repeat", "must end on a day, not %q", legible.Clip(rule.Until))
		return ""
	}
	day := settle(f.Env, m).Last
	if day.Before(zone.Day(start.Wall)) {
		f.Add("repeat", "ends on %s, before it begins", day.Format(time.DateOnly))
	}
	if !start.Timed {
		return ";UNTIL=" + day.Format("20060102")
	}
	end := zone.Instant(day.AddDate(0, 0, 1), f.Env.Zone).Add(-time.Second)
	return ";UNTIL=" + end.UTC().Format("20060102T150405Z")
}

// dayOrTime returns a moment as a complete day or time of the caller's zone.
func dayOrTime(m dates.Moment) string {
	if !m.Timed {
		return m.Wall.Format(time.DateOnly)
	}
	return m.Wall.Format("2006-01-02T15:04:05")
}

// RuleText describes a repetition in the caller's language.
func RuleText(env *tools.Env, r repeat.Rule) string {
	text := daysText(env, r, periodText(env, r))
	if r.Count > 0 {
		text += env.Localize(", ") + env.Count(r.Count, "%d occurrence", "%d occurrences")
	}
	if r.Until != "" {
		text += env.Localize(", until %s", r.Until)
	}
	return text
}

// periodText returns how often a repetition occurs.
func periodText(env *tools.Env, r repeat.Rule) string {
	if r.Every == 1 {
		return env.Localize([...]tools.Text{"every day", "every week", "every month", "every year"}[r.Unit])
	}
	switch r.Unit {
	case repeat.Daily:
		return env.Count(r.Every, "every %d day", "every %d days")
	case repeat.Weekly:
		return env.Count(r.Every, "every %d week", "every %d weeks")
	case repeat.Monthly:
		return env.Count(r.Every, "every %d month", "every %d months")
	}
	return env.Count(r.Every, "every %d year", "every %d years")
}

// daysText adds the days in the period of a repetition to the text of the period.
func daysText(env *tools.Env, r repeat.Rule, period string) string {
	var names []string
	for _, d := range r.Days {
		names = append(names, when.Weekday(env, time.Date(2023, 1, 1+int(d), 0, 0, 0, 0, time.UTC)))
	}
	days := strings.Join(names, env.Localize(", "))
	switch {
	case r.Nth < 0:
		return env.Localize("%s on the last %s", period, days)
	case r.Nth > 0:
		nth := [...]tools.Text{"1st", "2nd", "3rd", "4th", "5th"}[r.Nth-1]
		return env.Localize("%s on the %s %s", period, env.Localize(nth), days)
	case len(r.Days) == 5 && r.Every == 1:
		return env.Localize("every weekday")
	case days != "":
		return env.Localize("%s on %s", period, days)
	case r.MonthDay < 0:
		return env.Localize("%s on the last day", period)
	case r.Month != 0:
		day := time.Date(2024, r.Month, r.MonthDay, 0, 0, 0, 0, time.UTC)
		return env.Localize("%s on %s", period, backend.MonthDay(env, day))
	case r.MonthDay > 0:
		return env.Localize("%s on day %d", period, r.MonthDay)
	}
	return period
}
