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
)

// Rule is a repetition. Days, MonthDay and Nth narrow the days of a period; without them the first
// occurrence decides.
type Rule struct {
	Unit     Unit
	Every    int            // each period of so many units, from 1
	Days     []time.Weekday // of a week or, with Nth, the weekday in a month
	Nth      int            // of the month: 1 to 5, or -1 for the last; 0 is each
	MonthDay int            // 1 to 31, or -1 for the last; 0 is none
	Month    time.Month     // of a year, with MonthDay; 0 is none
	Count    int            // how many occurrences; 0 is endless
	Until    string         // the last day, in words; "" is endless
	Doubt    bool           // "every second Tuesday" was read as every other Tuesday
}

// names are the weekdays of RFC 5545.
var names = [...]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// String returns the rule as of RFC 5545, without Until, which needs a time zone.
func (r Rule) String() string {
	text := "FREQ=" + [...]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}[r.Unit]
	if r.Every > 1 {
		text += ";INTERVAL=" + strconv.Itoa(r.Every)
	}
	if r.Month != 0 {
		text += fmt.Sprintf(";BYMONTH=%d", r.Month)
	}
	if r.MonthDay != 0 {
		text += fmt.Sprintf(";BYMONTHDAY=%d", r.MonthDay)
	}
	var days []string
	for _, d := range r.Days {
		day := names[d]
		if r.Nth != 0 {
			day = strconv.Itoa(r.Nth) + day
		}
		days = append(days, day)
	}
	if len(days) > 0 {
		text += ";BYDAY=" + strings.Join(days, ",")
	}
	if r.Count > 0 {
		text += fmt.Sprintf(";COUNT=%d", r.Count)
	}
	return text
}

// Has reports whether the rule may have an occurrence on a day, whatever its period.
func (r Rule) Has(day time.Time) bool {
	if r.Month != 0 && day.Month() != r.Month {
		return false
	}
	last := day.AddDate(0, 0, 1).Day() == 1
	if r.MonthDay > 0 && day.Day() != r.MonthDay || r.MonthDay < 0 && !last {
		return false
	}
	if len(r.Days) > 0 && !slices.Contains(r.Days, day.Weekday()) {
		return false
	}
	switch {
	case r.Nth > 0:
		return (day.Day()-1)/7 == r.Nth-1
	case r.Nth < 0:
		return day.AddDate(0, 0, 7).Month() != day.Month()
	}
	return true
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
