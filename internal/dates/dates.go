// Package dates parses the days and times that people and programs write, in
// English and Japanese: 2026-01-05, tomorrow, next tue, +3d, 明日 15時.
//
// A day or a wall clock time is a time.Time in UTC. Only its fields count: it
// has no zone until the caller chooses one.
package dates

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/width"
)

// Moment is a parsed text: a day, a wall clock time, or an instant.
type Moment struct {
	Wall    time.Time // the day at midnight, or the wall clock time
	Timed   bool      // the text has a time of day
	Offset  bool      // the text has a UTC offset: use Instant instead of Wall
	Instant time.Time
}

// Day parses a day. Relative days count from today.
func Day(text string, today time.Time) (time.Time, bool) {
	s := normalize(text)
	for _, layout := range []string{"2006-1-2", "20060102", "2006/1/2", "2006.1.2", "2006年1月2日"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	if t, err := time.Parse("1月2日", s); err == nil {
		return nextDate(t.Month(), t.Day(), today)
	}
	if n, ok := relative[s]; ok {
		return today.AddDate(0, 0, n), true
	}
	if t, ok := offset(s, today); ok {
		return t, true
	}
	return weekday(s, today)
}

// nextDate returns the next occurrence of a month and day, today included.
func nextDate(m time.Month, day int, today time.Time) (time.Time, bool) {
	for year := today.Year(); year < today.Year()+9; year++ {
		t := time.Date(year, m, day, 0, 0, 0, 0, time.UTC)
		if t.Month() == m && !t.Before(today) {
			return t, true
		}
	}
	return time.Time{}, false
}

var relative = map[string]int{
	"today": 0, "now": 0, "tomorrow": 1, "tmr": 1, "yesterday": -1, "day after tomorrow": 2,
	"the day after tomorrow": 2, "day before yesterday": -2, "next week": 7, "last week": -7,
	"今日": 0, "本日": 0, "きょう": 0, "明日": 1, "あした": 1, "あす": 1,
	"明後日": 2, "あさって": 2, "明々後日": 3, "しあさって": 3,
	"昨日": -1, "きのう": -1, "一昨日": -2, "おととい": -2, "来週": 7, "再来週": 14, "先週": -7,
}

// normalize returns a text in lower case, with narrow digits and single blanks.
func normalize(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(width.Fold.String(text))), " ")
}

// offset parses +3d, -2w, in 3 days, 3日後, 2週間前.
func offset(s string, today time.Time) (time.Time, bool) {
	sign := 1
	switch {
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	case strings.HasPrefix(s, "-"):
		sign, s = -1, s[1:]
	case strings.HasPrefix(s, "in "):
		s = s[3:]
	case strings.HasSuffix(s, " ago"):
		sign, s = -1, strings.TrimSuffix(s, " ago")
	case strings.HasSuffix(s, "後"):
		s = strings.TrimSuffix(s, "後")
	case strings.HasSuffix(s, "前"):
		sign, s = -1, strings.TrimSuffix(s, "前")
	default:
		return time.Time{}, false
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end <= 0 || end > 5 {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		return time.Time{}, false
	}
	n *= sign
	switch strings.TrimSpace(s[end:]) {
	case "d", "day", "days", "日":
		return today.AddDate(0, 0, n), true
	case "w", "week", "weeks", "週間", "週":
		return today.AddDate(0, 0, 7*n), true
	case "m", "mo", "month", "months", "か月", "ヶ月", "カ月":
		return addMonths(today, n), true
	case "y", "year", "years", "年":
		return addMonths(today, 12*n), true
	}
	return time.Time{}, false
}

// addMonths adds months to a day and stays in the resulting month: one month
// after 31 January is the last day of February.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

var weekdays = []struct {
	names []string
	day   time.Weekday
}{
	{[]string{"sunday", "sun", "日曜日", "日曜"}, 0}, {[]string{"monday", "mon", "月曜日", "月曜"}, 1},
	{[]string{"tuesday", "tues", "tue", "火曜日", "火曜"}, 2},
	{[]string{"wednesday", "wed", "水曜日", "水曜"}, 3},
	{[]string{"thursday", "thurs", "thur", "thu", "木曜日", "木曜"}, 4},
	{[]string{"friday", "fri", "金曜日", "金曜"}, 5},
	{[]string{"saturday", "sat", "土曜日", "土曜"}, 6},
}

// Weekday parses the name of a weekday.
func Weekday(text string) (time.Weekday, bool) {
	s := normalize(text)
	for _, w := range weekdays {
		for _, n := range w.names {
			if s == n {
				return w.day, true
			}
		}
	}
	return 0, false
}

// weekday parses
//
//   - tue: today, or the first Tuesday after it
//   - next tue: the first Tuesday after today
//   - last tue: the last Tuesday before today
//   - 来週火曜: the Tuesday of the next week; weeks begin on Monday
func weekday(s string, today time.Time) (time.Time, bool) {
	mode := "this"
	for _, p := range []struct{ prefix, mode string }{
		{"this ", "this"}, {"next ", "next"}, {"last ", "last"}, {"on ", "this"},
		{"次の", "next"}, {"今度の", "next"},
		{"今週の", "week0"}, {"今週", "week0"}, {"来週の", "week1"}, {"来週", "week1"},
		{"再来週の", "week2"}, {"再来週", "week2"},
		{"先週の", "week-1"}, {"先週", "week-1"},
	} {
		if rest, ok := strings.CutPrefix(s, p.prefix); ok {
			s, mode = rest, p.mode
			break
		}
	}
	w, ok := Weekday(s)
	if !ok {
		return time.Time{}, false
	}
	ahead := (int(w) - int(today.Weekday()) + 7) % 7
	switch {
	case mode == "next" && ahead == 0:
		ahead = 7
	case mode == "last":
		ahead -= 7
	case strings.HasPrefix(mode, "week"):
		n, _ := strconv.Atoi(mode[4:])
		ahead = (int(w)+6)%7 - (int(today.Weekday())+6)%7 + 7*n
	}
	return today.AddDate(0, 0, ahead), true
}

// clockForm matches a meridiem, hours, minutes and seconds or a half hour, and
// a meridiem again.
const clockForm = `^(午前|午後|am|pm)?` +
	`(\d{1,2})(?:(?::|時)(?:(\d{1,2})(?::(\d{1,2})|分)?)?|(時半))?` +
	`(am|pm|a\.m\.|p\.m\.)?$`

// Clock parses a time of day: 9:00, 09:00:30, 9am, 15時30分, 午後3時, noon. It
// returns the time since midnight. 24:00 is the end of the day.
func Clock(text string) (time.Duration, bool) {
	s := strings.ReplaceAll(normalize(text), " ", "")
	switch s {
	case "noon", "正午":
		return 12 * time.Hour, true
	case "midnight":
		return 0, true
	}
	m := regexp.MustCompile(clockForm).FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	half := strings.TrimSpace(m[1] + m[6])
	if half == "" && !strings.ContainsAny(s, ":時") {
		return 0, false // a bare number is ambiguous
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s)
		return n
	}
	hour, minute, second := number(m[2]), number(m[3]), number(m[4])
	if m[5] != "" {
		minute = 30
	}
	if half != "" {
		if hour > 12 || hour == 0 && m[1] == "" {
			return 0, false
		}
		hour %= 12
		if half == "午後" || half[0] == 'p' {
			hour += 12
		}
	}
	if hour > 24 || minute > 59 || second > 59 || hour == 24 && minute+second > 0 {
		return 0, false
	}
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second, true
}

// Parse parses a day, a time, or a day with a time. Relative days and bare times
// count from now, a wall clock time.
func Parse(text string, now time.Time) (Moment, bool) {
	s := strings.TrimSpace(text)
	if len(s) > 100 {
		return Moment{}, false
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04Z07:00", "20060102T150405Z07:00"} {
		if t, err := time.Parse(layout, strings.ToUpper(s)); err == nil {
			return Moment{Instant: t, Timed: true, Offset: true}, true
		}
	}
	if t, err := time.Parse("20060102T150405", strings.ToUpper(s)); err == nil {
		return Moment{Wall: t, Timed: true}, true
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if strings.EqualFold(s, "now") {
		return Moment{Wall: now.Truncate(time.Minute), Timed: true}, true
	}
	if d, ok := Day(s, today); ok {
		return Moment{Wall: d}, true
	}
	if c, ok := Clock(s); ok {
		return Moment{Wall: today.Add(c), Timed: true}, true
	}
	s = normalize(s)
	for i := range s { // try each place where the day may end and the time begin
		if i == 0 {
			continue
		}
		left, right := strings.TrimSuffix(strings.TrimSpace(s[:i]), " at"), s[i:]
		right = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(right), "t"), "の")
		if right == "" || strings.HasSuffix(left, "t") && len(left) > 5 && left[len(left)-2] >= '0' &&
			left[len(left)-2] <= '9' {
			continue
		}
		c, ok := Clock(right)
		if !ok {
			continue
		}
		if d, ok := Day(left, today); ok {
			return Moment{Wall: d.Add(c), Timed: true}, true
		}
	}
	return Moment{}, false
}
