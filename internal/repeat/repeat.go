// Package repeat reads repetitions in words, in English and Japanese: daily, every 2 weeks on tue,
// every month on the last day, 毎週月曜, 隔週火曜と木曜, 毎月第2月曜. Rule.String writes them as a
// rule of RFC 5545.
package repeat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unit is the period that a rule counts.
type Unit int

// The units.
const (
	Daily Unit = iota
	Weekly
	Monthly
	Yearly
	Hourly
)

// Rule is a repetition. The days narrow a period; without them the first occurrence decides.
type Rule struct {
	Unit      Unit
	Every     int            // each period of so many units, from 1
	Days      []time.Weekday // of a week or, with Nth or SetPos, the weekdays in a month
	Nth       []int          // of the month: 1 to 5, or -1 for the last; none is each
	SetPos    int            // the one of Days in a month that counts: 1 for the first, -1 for the last
	MonthDays []int          // 1 to 31, or -1 for the last
	Month     time.Month     // of a year; 0 if any
	Hours     []int          // of a day, from 0 to 23
	Count     int            // how many occurrences; 0 is endless
	Until     string         // the last day, in words; "" is endless
	For       Period         // how long it goes on; 0 is endless
	During    string         // the period that has all occurrences, in words; "" for none
	Except    []string       // the days that are left out, in words
	Doubt     string         // the words that others may read differently
	Implied   bool           // only a list of days shows that it repeats: mon-fri
}

// names are the weekdays of RFC 5545.
var names = [...]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// String returns the rule as of RFC 5545, without Until, For, During and Except, which need a zone.
func (r Rule) String() string {
	text := "FREQ=" + [...]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY"}[r.Unit]
	if r.Every > 1 {
		text += ";INTERVAL=" + strconv.Itoa(r.Every)
	}
	if r.Month != 0 {
		text += fmt.Sprintf(";BYMONTH=%d", r.Month)
	}
	text += numbers("BYMONTHDAY", r.MonthDays) + numbers("BYHOUR", r.Hours)
	var days []string
	for _, d := range r.Days {
		for _, n := range r.Nth {
			days = append(days, strconv.Itoa(n)+names[d])
		}
		if len(r.Nth) == 0 {
			days = append(days, names[d])
		}
	}
	if len(days) > 0 {
		text += ";BYDAY=" + strings.Join(days, ",")
	}
	if r.SetPos != 0 {
		text += numbers("BYSETPOS", []int{r.SetPos})
	}
	if r.Count > 0 {
		text += fmt.Sprintf(";COUNT=%d", r.Count)
	}
	return text
}

// numbers returns a part of a rule, "" without numbers.
func numbers(name string, all []int) string {
	if len(all) == 0 {
		return ""
	}
	return ";" + name + "=" + strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", ",")
}

// Has reports whether the rule may have an occurrence on a day, whatever its period.
func (r Rule) Has(day time.Time) bool {
	last := day.AddDate(0, 0, 1).Day() == 1
	listed := slices.Contains(r.MonthDays, day.Day()) || last && slices.Contains(r.MonthDays, -1)
	if r.Month != 0 && day.Month() != r.Month ||
		len(r.MonthDays) > 0 && !listed ||
		len(r.Days) > 0 && !slices.Contains(r.Days, day.Weekday()) {
		return false
	}
	if r.SetPos != 0 && r.position(day) != r.SetPos {
		return false
	}
	final := day.AddDate(0, 0, 7).Month() != day.Month()
	return len(r.Nth) == 0 || slices.Contains(r.Nth, (day.Day()+6)/7) || final && slices.Contains(r.Nth, -1)
}

// position returns the position of a day among the weekdays of the rule in its month, counted from
// the end for a negative SetPos.
func (r Rule) position(day time.Time) (n int) {
	step := 1
	if r.SetPos > 0 {
		step = -1
	}
	for d := day; d.Month() == day.Month(); d = d.AddDate(0, 0, step) {
		if slices.Contains(r.Days, d.Weekday()) {
			n -= step
		}
	}
	return n
}

// First returns the first day from one on that the rule has.
func (r Rule) First(from time.Time) time.Time {
	const longest = 8*366 + 1 // 29 February, around 2100
	for i := range longest {
		if day := from.AddDate(0, 0, i); r.Has(day) {
			return day
		}
	}
	return from
}

// Parse reads a text that is a repetition and nothing else.
func Parse(text string) (Rule, bool) {
	r, rest, ok := Find(text)
	return r, ok && rest == ""
}
