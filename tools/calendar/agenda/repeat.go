package agenda

import (
	"cmp"
	"slices"
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

// Repeating is a repetition in words: the lines of its recurrence, nil for none, and its first start
// and end as complete dates.
type Repeating struct {
	Lines      []string
	Start, End string
}

// RepeatWords returns the words of the field repeat of an edit, "" for none. The field excludes a
// recurrence, and without words it removes that of the record.
func RepeatWords(f *Checker, repeat *string, recurrence *[]string) string {
	if repeat == nil {
		return ""
	}
	if *recurrence != nil {
		f.Add("repeat", "cannot be combined with recurrence")
	}
	if *repeat == "" || noWords(*repeat) {
		*recurrence = []string{}
		return ""
	}
	return *repeat
}

// noWords reports whether words say that nothing repeats.
func noWords(words string) bool {
	switch strings.ToLower(strings.TrimSpace(words)) {
	case "none", "no", "never", "off", "なし", "しない", "繰り返さない", "繰り返しなし":
		return true
	}
	return false
}

// Repetition reads a repetition from words of its own, or else from those in a start that is no
// plain time, such as "every monday 7am". Without one it returns start and end as they are.
func (f *Checker) Repetition(field, words, start, end string) Repeating {
	same := Repeating{Start: start, End: end}
	if noWords(words) {
		words = ""
	}
	rule, rest, ok := repeat.Repeats(words)
	switch {
	case words != "" && !ok:
		f.noRepetition("repeat", words)
		return same
	case words != "":
		if rest, ok = f.startAnd(field, start, rest); !ok {
			f.noRepetition("repeat", words)
			return same
		}
	default:
		if _, plain := dates.Parse(start, callerNow(f.Env), dates.Future); plain || start == "" {
			return same
		}
		rule, rest, ok = repeat.Find(start)
		if lack := repeat.Lacking(start); lack != repeat.NoLack && (!ok || lack >= repeat.OneTime) {
			f.noRepetition(field, start)
			return same
		}
		several := rule.Unit == repeat.Weekly && len(rule.Days) > 1 || len(rule.Nth) > 1
		if !ok || rule.Implied && !several { // "the first at 9" is one day
			return same
		}
		if _, read := dates.Parse(rest, callerNow(f.Env), dates.Future); rest != "" && !read {
			if !rule.Implied {
				f.Add(field, "has words beside its repetition that are not understood: %q", legible.Clip(rest))
				f.hint, f.told = repetitionExamples().In(f.Env), field
			}
			return same
		}
	}
	return f.repeating(field, rule, rest, end)
}

// repeating returns a rule that begins at a time in words.
func (f *Checker) repeating(field string, rule repeat.Rule, first, end string) Repeating {
	m, ok := f.firstOf(field, &rule, first)
	if !ok {
		return Repeating{Start: first, End: end}
	}
	if rule.Unit == repeat.Hourly {
		if !m.Timed {
			f.Add(field, "must have a time for a repetition by the hour")
			f.hint = f.Env.Hint("For example: every 2 hours from 9:00 to 17:00")
		}
		byHours(&rule, &m)
	}
	left, last := f.exceptions(field, &rule, &m), f.until(&rule, m)
	if text := backend.RuleText(f.Env, rule); rule.Doubt != "" {
		f.Meanings.AddNote(f.Env.Localize("%q was read as %s", rule.Doubt, text))
	} else if rule.Implied {
		f.Meanings.AddNote(f.Env.Localize("the days were read as %s", text))
	}
	if rule.SetPos != 0 {
		f.Meanings.AddNote(f.Env.Localize("holidays count as working days"))
	}
	r := Repeating{append([]string{"RRULE:" + rule.String() + last}, left...), dayOrTime(m), end}
	switch {
	case end != "":
	case m.End != nil:
		r.End = dayOrTime(*m.End)
	case m.Length > 0:
		r.End = m.Length.String()
	case !m.Timed && m.Last.After(m.Wall):
		r.End = m.Last.Format(time.DateOnly)
	}
	f.Meanings.Repeats(f.Env, backend.RuleText(f.Env, rule))
	return r
}

// noRepetition refuses a text in place of a repetition, and names what it lacks.
func (f *Checker) noRepetition(field, words string) {
	var message tools.Text
	var way tools.Advice
	switch lack := repeat.Lacking(words); lack {
	case repeat.Weekdays, repeat.MonthDays, repeat.YearDays:
		message = "must say the days, not only how many: %q"
		way = tools.Advise([...]tools.Text{"For example: every mon and thu", "For example: the 1st and 15th of every month",
			"For example: every 6 months"}[lack-repeat.Weekdays])
	case repeat.Times, repeat.OneTime:
		message = "must say the times of the day, not only how many: %q"
		if lack == repeat.OneTime {
			message = "cannot have two times of day: %q"
		}
		way = tools.Advise("Add one for each time, or for example: %s",
			tools.Field("recurrence", "FREQ=DAILY;BYHOUR=8,13,20"))
	case repeat.Holidays:
		message, way = "cannot follow holidays: %q", tools.Advise("For example: weekdays, or every sat and sun")
	case repeat.Hours:
		message, way = "must repeat by the hour or longer: %q", tools.Advise("For example: every 2 hours from 9:00 to 17:00")
	default:
		message, way = "must be a repetition, not %q", repetitionExamples()
	}
	f.Add(field, message, legible.Clip(words))
	f.hint, f.told = way.In(f.Env), field
}

func repetitionExamples() tools.Advice {
	return tools.Advise("Examples of repetitions: daily, weekdays, every 2 weeks on tue, monthly "+
		"on the 15th, every last friday; as RFC 5545: %s", tools.Field("recurrence", "FREQ=WEEKLY;BYDAY=MO"))
}

// startAnd joins a start and the time that stands in the words of its repetition: the start has
// none or the same.
func (f *Checker) startAnd(field, start, rest string) (joined string, ok bool) {
	if rest == "" || start == "" {
		return start + rest, true
	}
	if !clockAlone(rest) {
		return "", false
	}
	m, ok := dates.Parse(start, callerNow(f.Env), dates.Future)
	if !ok {
		return start, true // which is refused by itself
	}
	if !m.Timed {
		return m.Wall.Format(time.DateOnly) + " " + rest, true
	}
	same, _ := dates.Parse(m.Wall.Format(time.DateOnly)+" "+rest, callerNow(f.Env), dates.Future)
	if !same.Wall.Equal(m.Wall) {
		f.Add(field, "has another time than repeat")
	}
	return start, true
}

// byHours makes a repetition by the hour within a part of the day one of each day: every 2 hours
// from 9:00 to 17:00.
func byHours(r *repeat.Rule, m *dates.Moment) {
	step := time.Duration(r.Every) * time.Hour
	if m.End == nil || m.End.Wall.Sub(m.Wall) <= step || !zone.Day(m.End.Wall).Equal(zone.Day(m.Wall)) {
		return
	}
	for at := m.Wall; !at.After(m.End.Wall); at = at.Add(step) {
		r.Hours = append(r.Hours, at.Hour())
	}
	r.Unit, r.Every, m.End = repeat.Daily, 1, nil
}

// firstOf returns the first time of a repetition: on its first day from today on, or from the day
// that a text names.
func (f *Checker) firstOf(field string, rule *repeat.Rule, text string) (dates.Moment, bool) {
	today := Today(f.Env)
	if rule.During != "" {
		period, _ := dates.Parse(rule.During, callerNow(f.Env), dates.Future)
		if rule.Until = cmp.Or(rule.Until, period.Last.Format(time.DateOnly)); period.Wall.After(today) {
			today = period.Wall
		}
	}
	if text == "" {
		day := rule.First(today)
		return dates.Moment{Wall: day, Last: day}, true
	}
	if clockAlone(text) {
		for day := rule.First(today); ; day = rule.First(day.AddDate(0, 0, 1)) {
			m, ok := dates.Parse(text, zone.Instant(day, f.Env.Zone).In(f.Env.Zone), dates.Future)
			if !ok || day.After(Today(f.Env)) || !when.InstantOf(f.Env, m).Before(f.Env.Now()) {
				return m, ok
			}
		}
	}
	m, ok := f.Moment(field, text, time.Time{})
	if !ok {
		return m, false
	}
	inOwnZone(&m)
	day := zone.Day(m.Wall)
	if shift := rule.First(day).Sub(day); shift > 0 {
		f.Meanings.AddNote(f.Env.Localize("%s is no day of the repetition, so %s was taken",
			day.Format(time.DateOnly), day.Add(shift).Format(time.DateOnly)))
		shiftBy(&m, shift)
	}
	return m, true
}

// inOwnZone gives a time with a named zone the clock of that zone, whose days count.
func inOwnZone(m *dates.Moment) {
	if !named(m.Zone) {
		m.Zone = nil
		return
	}
	m.Wall, m.Offset = zone.Wall(m.Instant, m.Zone), false
	if m.Last = zone.Day(m.Wall); m.End != nil && m.End.Offset {
		m.End.Zone = m.Zone
		m.End.Wall, m.End.Offset = zone.Wall(m.End.Instant, m.Zone), false
	}
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

// until returns the part of a rule with its last day, "" for none, and writes that day as a date.
func (f *Checker) until(rule *repeat.Rule, start dates.Moment) string {
	if rule.Until == "" && rule.For.N == 0 {
		return ""
	}
	day := afterPeriod(start.Wall, rule.For)
	if rule.Until != "" {
		m, ok := dates.ParseEnd(rule.Until, zone.Day(start.Wall), callerNow(f.Env))
		if !ok || m.Timed && !start.Timed {
			f.Add("repeat", "must end on a day, not %q", legible.Clip(rule.Until))
			return ""
		}
		day = settle(f.Env, m).Last
		rule.Until = day.Format(time.DateOnly)
	}
	if day.Before(zone.Day(start.Wall)) {
		f.Add("repeat", "ends on %s, before it begins", day.Format(time.DateOnly))
	}
	if !start.Timed {
		return ";UNTIL=" + day.Format("20060102")
	}
	home := f.Env.Zone
	if start.Zone != nil {
		home = start.Zone
	}
	end := zone.Instant(day.AddDate(0, 0, 1), home).Add(-time.Second)
	return ";UNTIL=" + end.UTC().Format("20060102T150405Z")
}

// afterPeriod returns the last day of a period that begins on a day.
func afterPeriod(from time.Time, p repeat.Period) time.Time {
	day := zone.Day(from)
	switch p.Unit {
	case repeat.Weekly:
		day = day.AddDate(0, 0, 7*p.N)
	case repeat.Monthly:
		day = day.AddDate(0, p.N, 0)
	case repeat.Yearly:
		day = day.AddDate(p.N, 0, 0)
	default:
		day = day.AddDate(0, 0, p.N)
	}
	return day.AddDate(0, 0, -1)
}

// dayOrTime returns a moment as a complete day or time of the caller's zone.
func dayOrTime(m dates.Moment) string {
	if !m.Timed {
		return m.Wall.Format(time.DateOnly)
	}
	text := m.Wall.Format("2006-01-02T15:04:05")
	if m.Zone != nil {
		text += " " + m.Zone.String()
	}
	return text
}

// exceptions returns the lines EXDATE of the days that a rule leaves out, and writes these days as
// dates. A start on such a day moves to the next one, unless that shifts the periods of the rule.
func (f *Checker) exceptions(field string, rule *repeat.Rule, m *dates.Moment) (lines []string) {
	var days []time.Time
	for i, words := range rule.Except {
		d, ok := dates.ParseEnd(words, zone.Day(m.Wall), callerNow(f.Env))
		if day := d.Wall; !ok || !rule.Has(day) {
			f.Add(field, "leaves out %s, which is no day of the repetition", legible.Clip(words))
		} else {
			days = append(days, day)
			rule.Except[i] = day.Format(time.DateOnly)
		}
	}
	for rule.Every == 1 && slices.ContainsFunc(days, zone.Day(m.Wall).Equal) {
		day := zone.Day(m.Wall)
		shiftBy(m, rule.First(day.AddDate(0, 0, 1)).Sub(day))
	}
	for _, day := range days {
		if day.Before(zone.Day(m.Wall)) {
			continue
		}
		if !m.Timed {
			lines = append(lines, "EXDATE:"+day.Format("20060102"))
			continue
		}
		clocks := []time.Duration{m.Wall.Sub(zone.Day(m.Wall))}
		if len(rule.Hours) > 0 {
			clocks = clocks[:0]
		}
		for _, h := range rule.Hours {
			clocks = append(clocks, time.Duration(h)*time.Hour+time.Duration(m.Wall.Minute())*time.Minute)
		}
		for _, c := range clocks {
			at := when.InstantOf(f.Env, dates.Moment{Wall: day.Add(c)})
			lines = append(lines, "EXDATE:"+at.UTC().Format("20060102T150405Z"))
		}
	}
	return lines
}

func shiftBy(m *dates.Moment, days time.Duration) {
	m.Wall, m.Last = m.Wall.Add(days), m.Last.Add(days)
	if m.End != nil {
		m.End.Wall = m.End.Wall.Add(days)
	}
}
