package agenda

import (
	"slices"
	"time"

	"techo/internal/dates"
	"techo/internal/legible"
	"techo/internal/repeat"
	"techo/internal/zone"
	"techo/tools/when"
)

// until returns the part of a rule with its last day, "" for none, and writes that day as a date.
func until(f *Checker, rule *repeat.Rule, start dates.Moment) string {
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
func exceptions(f *Checker, field string, rule *repeat.Rule, m *dates.Moment) (lines []string) {
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

// shiftBy moves a moment by some days.
func shiftBy(m *dates.Moment, days time.Duration) {
	m.Wall, m.Last = m.Wall.Add(days), m.Last.Add(days)
	if m.End != nil {
		m.End.Wall = m.End.Wall.Add(days)
	}
}
