package backend

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/internal/repeat"
	"techo/tools"
	"techo/tools/when"
)

// RecurrenceText describes the lines of a recurrence in the caller's language. A rule for which there are no
// short words stays as it is.
func RecurrenceText(env *tools.Env, lines []string) string {
	var texts, also, except []string
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case strings.HasPrefix(name, "EXDATE"):
			except = append(except, daysOf(value)...)
		case strings.HasPrefix(name, "RDATE"):
			also = append(also, daysOf(value)...)
		case name == "RRULE":
			rule, err := recur.Parse(value)
			if err != nil {
				texts = append(texts, line)
				continue
			}
			if r, ok := inWords(rule, env.Zone); ok {
				texts = append(texts, RuleText(env, r))
			} else {
				texts = append(texts, value)
			}
		default:
			texts = append(texts, line)
		}
	}
	text := strings.Join(texts, env.Localize(", "))
	for _, days := range []struct {
		form tools.Text
		all  []string
	}{{", also %s", also}, {", except %s", except}} {
		const most = 3 // days that are named
		switch n := len(days.all); {
		case n > most:
			text += env.Localize(days.form, env.Count(n, "%d day", "%d days"))
		case n > 0:
			text += env.Localize(days.form, strings.Join(days.all, env.Localize(", ")))
		}
	}
	return strings.TrimPrefix(text, env.Localize(", "))
}

// daysOf returns the days of a list of times.
func daysOf(list string) (all []string) {
	for day := range strings.SplitSeq(list, ",") {
		if at, err := time.Parse("20060102", day[:min(8, len(day))]); err == nil {
			day = at.Format(time.DateOnly)
		}
		all = append(all, day)
	}
	return all
}

// inWords returns a rule as one that has words; ok is false if it has none. zone is that of the last day.
func inWords(rule *recur.Rule, zone *time.Location) (r repeat.Rule, ok bool) {
	units := map[recur.Freq]repeat.Unit{recur.Daily: repeat.Daily, recur.Weekly: repeat.Weekly, recur.Monthly: repeat.Monthly,
		recur.Yearly: repeat.Yearly, recur.Hourly: repeat.Hourly}
	unit, ok := units[rule.Freq]
	if !ok || len(rule.Second)+len(rule.Minute)+len(rule.YearDay)+len(rule.WeekNo) > 0 || len(rule.Month) > 1 ||
		len(rule.Hour) > 0 && unit != repeat.Daily || len(rule.Month) > 0 && unit != repeat.Yearly {
		return r, false
	}
	r = repeat.Rule{Unit: unit, Every: max(rule.Interval, 1), Hours: rule.Hour, MonthDays: rule.MonthDay, Count: rule.Count}
	if len(rule.Month) > 0 {
		r.Month = time.Month(rule.Month[0])
	}
	if until := rule.Until; !until.IsZero() {
		if rule.Form == recur.UntilUTC {
			until = until.In(zone)
		}
		r.Until = until.Format(time.DateOnly)
	}
	for _, d := range rule.Weekday {
		r.Days = append(r.Days, d.Weekday)
		if d.N != 0 {
			r.Nth = append(r.Nth, d.N)
		}
	}
	nth := len(r.Nth) > 0
	fromEnd := func(all []int) bool { return slices.ContainsFunc(all, func(n int) bool { return n < -1 }) } // but not the last
	workdays := slices.Equal(r.Days, []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday})
	switch {
	case fromEnd(r.Nth), fromEnd(r.MonthDays), len(r.MonthDays) > 1 && slices.Contains(r.MonthDays, -1),
		len(r.MonthDays) > 0 && (len(r.Days) > 0 || unit != repeat.Monthly && r.Month == 0),
		len(r.Days) > 0 && unit == repeat.Hourly:
		return r, false
	case nth && (len(r.Nth) != len(r.Days) || len(r.Days) > 1 && !slices.Equal(r.Days, slices.Repeat(r.Days[:1], len(r.Days)))):
		return r, false
	case nth && (unit != repeat.Monthly && (unit != repeat.Yearly || r.Month == 0)):
		return r, false
	case len(rule.SetPos) > 0:
		r.SetPos = rule.SetPos[0]
		return r, len(rule.SetPos) == 1 && (r.SetPos == -1 || r.SetPos > 0) && workdays && !nth && unit == repeat.Monthly
	case len(r.Days) > 0 && !nth && unit != repeat.Weekly && unit != repeat.Daily:
		return r, false
	}
	return r, true
}

// RuleText describes a repetition in the caller's language.
func RuleText(env *tools.Env, r repeat.Rule) string {
	text := daysText(env, r, periodText(env, r))
	if len(r.Hours) > 0 {
		text += env.Localize(" at the hours %s", numbersText(env, r.Hours))
	}
	if r.Count > 0 {
		text += env.Localize(", ") + env.Count(r.Count, "%d occurrence", "%d occurrences")
	}
	if r.Until != "" {
		text += env.Localize(", until %s", r.Until)
	}
	if len(r.Except) > 0 {
		text += env.Localize(", except %s", strings.Join(r.Except, env.Localize(", ")))
	}
	if r.For.N > 0 {
		text += env.Localize(", for ") + LengthText(env, r.For)
	}
	return text
}

// periodText returns how often a repetition occurs.
func periodText(env *tools.Env, r repeat.Rule) string {
	if r.Every == 1 {
		return env.Localize([...]tools.Text{"every day", "every week", "every month", "every year",
			"every hour"}[r.Unit])
	}
	return env.Localize([...]tools.Text{"every %d days", "every %d weeks", "every %d months", "every %d years",
		"every %d hours"}[r.Unit], r.Every)
}

// LengthText describes a number of days, weeks, months or years.
func LengthText(env *tools.Env, p repeat.Period) string {
	form := [...][2]tools.Text{{"%d day", "%d days"}, {"%d week", "%d weeks"}, {"%d month", "%d months"},
		{"%d year", "%d years"}}[p.Unit]
	return env.Count(p.N, form[0], form[1])
}

// daysText adds the days in the period of a repetition to the text of the period.
func daysText(env *tools.Env, r repeat.Rule, period string) string {
	var names []string
	for d := range 7 { // from Monday on
		if monday := time.Date(2023, 1, 2+d, 0, 0, 0, 0, time.UTC); slices.Contains(r.Days, monday.Weekday()) {
			names = append(names, when.Weekday(env, monday))
		}
	}
	days := strings.Join(names, env.Localize(", "))
	if r.Month != 0 && len(r.MonthDays) == 1 && r.MonthDays[0] > 0 {
		day := time.Date(2024, r.Month, r.MonthDays[0], 0, 0, 0, 0, time.UTC)
		return env.Localize("%s on %s", period, MonthDay(env, day))
	}
	if r.Month != 0 {
		period = env.Localize("%s in %s", period, MonthName(env, r.Month))
	}
	switch {
	case r.SetPos != 0:
		return env.Localize("%s on the %s working day", period, nthText(env, []int{r.SetPos}))
	case len(r.Nth) > 0:
		return env.Localize("%s on the %s %s", period, nthText(env, r.Nth), days)
	case len(r.Days) == 5 && r.Every == 1 && r.Days[0] == time.Monday && r.Days[4] == time.Friday:
		return env.Localize("every weekday")
	case days != "":
		return env.Localize("%s on %s", period, days)
	case len(r.MonthDays) == 1 && r.MonthDays[0] < 0:
		return env.Localize("%s on the last day", period)
	case len(r.MonthDays) > 0:
		return env.Localize("%s on day %s", period, numbersText(env, r.MonthDays))
	}
	return period
}

// nthText writes ordinals, -1 as last.
func nthText(env *tools.Env, all []int) string {
	var texts []string
	for _, n := range all {
		text := env.Localize("last")
		if n > 0 {
			text = nthOf(env, n)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, env.Localize(", "))
}

// nthOf writes an ordinal.
func nthOf(env *tools.Env, n int) string {
	if n <= 3 {
		return env.Localize([...]tools.Text{"1st", "2nd", "3rd"}[n-1])
	}
	return env.Localize("%dth", n)
}

// numbersText writes numbers, -1 as last.
func numbersText(env *tools.Env, all []int) string {
	var texts []string
	for _, n := range all {
		text := strconv.Itoa(n)
		if n < 0 {
			text = env.Localize("the last")
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, env.Localize(", "))
}
