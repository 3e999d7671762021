package agenda

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/repeat"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/when"
)

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
		text += env.Localize(", for ") + lengthText(env, r.For)
	}
	return text
}

// periodText returns how often a repetition occurs.
func periodText(env *tools.Env, r repeat.Rule) string {
	if r.Every == 1 {
		return env.Localize([...]tools.Text{"every day", "every week", "every month", "every year",
			"every hour"}[r.Unit])
	}
	switch r.Unit {
	case repeat.Hourly:
		return env.Count(r.Every, "every %d hour", "every %d hours")
	case repeat.Daily:
		return env.Count(r.Every, "every %d day", "every %d days")
	case repeat.Weekly:
		return env.Count(r.Every, "every %d week", "every %d weeks")
	case repeat.Monthly:
		return env.Count(r.Every, "every %d month", "every %d months")
	}
	return env.Count(r.Every, "every %d year", "every %d years")
}

// lengthText describes a number of days, weeks, months or years.
func lengthText(env *tools.Env, p repeat.Period) string {
	switch p.Unit {
	case repeat.Daily:
		return env.Count(p.N, "%d day", "%d days")
	case repeat.Weekly:
		return env.Count(p.N, "%d week", "%d weeks")
	case repeat.Monthly:
		return env.Count(p.N, "%d month", "%d months")
	}
	return env.Count(p.N, "%d year", "%d years")
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
		return env.Localize("%s on %s", period, backend.MonthDay(env, day))
	}
	if r.Month != 0 {
		period = env.Localize("%s in %s", period, backend.MonthName(env, r.Month))
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
