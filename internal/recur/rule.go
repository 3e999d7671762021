// Package recur parses recurrence rules (RFC 5545, section 3.3.10) and walks their
// occurrences.
//
// The package computes with wall clocks: a time.Time in UTC whose fields are read
// in the zone of the event. The caller converts each occurrence to an instant. So
// an event at 02:30 stays at 02:30 when clocks change.
package recur

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Freq is the frequency of a rule.
type Freq int

// The frequencies.
const (
	Yearly Freq = iota
	Monthly
	Weekly
	Daily
	Hourly
	Minutely
	Secondly
)

var freqNames = [...]string{"YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"}

// Day is a weekday of BYDAY. N selects the Nth of the period, counted from its end
// if negative; 0 selects all.
type Day struct {
	N       int
	Weekday time.Weekday
}

// Rule is a recurrence rule.
type Rule struct {
	Freq     Freq
	Interval int
	Count    int       // 0 is unlimited
	Until    time.Time // zero is unlimited; see UntilForm
	Form     UntilForm
	Week     time.Weekday // first day of the week (WKST)

	Second, Minute, Hour             []int
	MonthDay, YearDay, WeekNo, Month []int
	SetPos                           []int
	Weekday                          []Day
}

// UntilForm is the form in which UNTIL was written.
type UntilForm int

// The forms of UNTIL.
const (
	UntilLocal UntilForm = iota // a local time in the zone of the event
	UntilUTC                    // an instant
	UntilDate                   // a date, inclusive
)

// Reason is the reason why a rule is invalid: a format of package fmt for the
// arguments of an Error.
type Reason string

// The reasons. The first argument of those with %s is a part of the rule, or its
// name.
const (
	noValue      Reason = "%q: no value"
	twice        Reason = "%s: given twice"
	inPart       Reason = "%s: %v" // an Error about its value
	noFreq       Reason = "FREQ: missing"
	noFrequency  Reason = "not a frequency"
	calendar     Reason = "another calendar than the Gregorian one"
	notSupported Reason = "not supported"
	unknownPart  Reason = "unknown part"
	twoEnds      Reason = "COUNT and UNTIL: only one of them"
	noSuchDay    Reason = "BYDAY: no such weekday in this period: %d"
	notInRange   Reason = "must be a number from %d to %d"
	itemRange    Reason = "%q: must be from %d to %d"
	notWeekday   Reason = "%q: not a weekday"
	notTime      Reason = "must be a day or a time such as 20261231T235959Z"
)

// Error reports an invalid rule.
type Error struct {
	Reason Reason
	Args   []any
}

func (e *Error) Error() string { return fmt.Sprintf(string(e.Reason), e.Args...) }

func invalid(reason Reason, args ...any) *Error { return &Error{reason, args} }

// Parse parses an RRULE value. It accepts deviations that occur in practice: lower
// case, X- parts, a trailing ";", repeated values. It returns an error for any
// part that it cannot follow exactly.
func Parse(text string) (*Rule, error) {
	r := &Rule{Interval: 1, Freq: -1, Week: time.Monday}
	text = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:")
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, invalid(noValue, clip(part))
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if seen[name] {
			return nil, invalid(twice, name)
		}
		seen[name] = true
		if err := r.part(name, value); err != nil {
			return nil, invalid(inPart, clip(part), err)
		}
	}
	if r.Freq < 0 {
		return nil, invalid(noFreq)
	}
	return r, r.check()
}

func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

func (r *Rule) part(name, value string) (err error) {
	switch name {
	case "FREQ":
		if r.Freq = Freq(slices.Index(freqNames[:], value)); r.Freq < 0 {
			return invalid(noFrequency)
		}
	case "INTERVAL":
		r.Interval, err = number(value, 1, 1_000_000)
	case "COUNT":
		r.Count, err = number(value, 1, 1_000_000_000)
	case "UNTIL":
		r.Until, r.Form, err = until(value)
	case "WKST":
		r.Week, err = weekday(value)
	case "BYSECOND":
		r.Second, err = numbers(value, 0, 60, false)
		for i, s := range r.Second { // leap seconds do not exist in package time
			r.Second[i] = min(s, 59)
		}
	case "BYMINUTE":
		r.Minute, err = numbers(value, 0, 59, false)
	case "BYHOUR":
		r.Hour, err = numbers(value, 0, 23, false)
	case "BYMONTHDAY":
		r.MonthDay, err = numbers(value, 1, 31, true)
	case "BYYEARDAY":
		r.YearDay, err = numbers(value, 1, 366, true)
	case "BYWEEKNO":
		r.WeekNo, err = numbers(value, 1, 53, true)
	case "BYMONTH":
		r.Month, err = numbers(value, 1, 12, false)
	case "BYSETPOS":
		r.SetPos, err = numbers(value, 1, 366, true)
	case "BYDAY":
		r.Weekday, err = days(value)
	case "RSCALE":
		if value != "GREGORIAN" {
			return invalid(calendar)
		}
	case "SKIP":
		if value != "OMIT" {
			return invalid(notSupported)
		}
	default:
		if !strings.HasPrefix(name, "X-") {
			return invalid(unknownPart)
		}
	}
	return err
}

// check rejects rules that can never match and rules with two interpretations.
func (r *Rule) check() error {
	if r.Count > 0 && !r.Until.IsZero() {
		return invalid(twoEnds)
	}
	for _, d := range r.Weekday {
		most := 53
		if r.Freq == Monthly || r.Freq == Yearly && len(r.Month) > 0 {
			most = 5
		}
		if d.N > most || d.N < -most {
			return invalid(noSuchDay, d.N)
		}
	}
	return nil
}

func number(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, invalid(notInRange, low, high)
	}
	return n, nil
}

// numbers parses a list and returns it sorted, without duplicates.
func numbers(text string, low, high int, negative bool) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		size := n
		if negative && n < 0 {
			size = -n
		}
		if err != nil || size < low || size > high {
			return nil, invalid(itemRange, clip(part), low, high)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

var dayNames = [...]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

func weekday(text string) (time.Weekday, error) {
	i := slices.Index(dayNames[:], text)
	if i < 0 {
		return 0, invalid(notWeekday, clip(text))
	}
	return time.Weekday(i), nil
}

func days(text string) ([]Day, error) {
	var all []Day
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if len(part) < 2 {
			return nil, invalid(notWeekday, clip(part))
		}
		w, err := weekday(part[len(part)-2:])
		if err != nil {
			return nil, err
		}
		d := Day{Weekday: w}
		if n := part[:len(part)-2]; n != "" {
			if d.N, err = strconv.Atoi(n); err != nil || d.N == 0 {
				return nil, invalid(notWeekday, clip(part))
			}
		}
		if !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	return all, nil
}

func until(text string) (time.Time, UntilForm, error) {
	const seconds = len("20061231T2359")
	if len(text) > seconds && strings.HasPrefix(text[seconds:], "60") {
		text = text[:seconds] + "59" + text[seconds+2:] // leap seconds do not exist in package time
	}
	for _, form := range []struct {
		layout string
		form   UntilForm
	}{{"20060102T150405Z", UntilUTC}, {"20060102T150405", UntilLocal}, {"20060102", UntilDate}} {
		if t, err := time.Parse(form.layout, text); err == nil {
			return t, form.form, nil
		}
	}
	return time.Time{}, 0, invalid(notTime)
}

// String formats the rule as in RFC 5545.
func (r *Rule) String() string {
	b := []byte("FREQ=" + freqNames[r.Freq])
	if r.Interval != 1 {
		b = fmt.Appendf(b, ";INTERVAL=%d", r.Interval)
	}
	if r.Count > 0 {
		b = fmt.Appendf(b, ";COUNT=%d", r.Count)
	}
	if !r.Until.IsZero() {
		layout := [...]string{"20060102T150405", "20060102T150405Z", "20060102"}[r.Form]
		b = append(append(b, ";UNTIL="...), r.Until.Format(layout)...)
	}
	for _, l := range []struct {
		name string
		list []int
	}{{"BYSECOND", r.Second}, {"BYMINUTE", r.Minute}, {"BYHOUR", r.Hour}, {"BYMONTHDAY", r.MonthDay},
		{"BYYEARDAY", r.YearDay}, {"BYWEEKNO", r.WeekNo}, {"BYMONTH", r.Month}, {"BYSETPOS", r.SetPos}} {
		for i, n := range l.list {
			if i == 0 {
				b = append(b, ";"+l.name+"="...)
			} else {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
	}
	for i, d := range r.Weekday {
		if i == 0 {
			b = append(b, ";BYDAY="...)
		} else {
			b = append(b, ',')
		}
		if d.N != 0 {
			b = strconv.AppendInt(b, int64(d.N), 10)
		}
		b = append(b, dayNames[d.Weekday]...)
	}
	if r.Week != time.Monday {
		b = append(b, ";WKST="+dayNames[r.Week]...)
	}
	return string(b)
}

// Impossible reports whether the rule matches no day in any year, for example 30
// February.
func (r *Rule) Impossible() bool {
	if len(r.MonthDay) == 0 || len(r.Month) == 0 {
		return false
	}
	longest := 0
	for _, m := range r.Month {
		longest = max(longest, [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1])
	}
	return !slices.ContainsFunc(r.MonthDay, func(d int) bool { return max(d, -d) <= longest })
}

// MayBeEmpty reports whether the rule has parts that may leave no occurrence at
// all.
func (r *Rule) MayBeEmpty() bool {
	return len(r.SetPos)+len(r.YearDay)+len(r.WeekNo) > 0 || len(r.MonthDay) > 0 && len(r.Month) > 0 ||
		r.Freq >= Hourly && len(r.Hour)+len(r.Minute)+len(r.Second) > 0
}
