package repeat

import (
	"regexp"
	"strings"
	"sync"
)

// Lack is what a repetition in words leaves open.
type Lack int

// The lacks.
const (
	NoLack    Lack = iota
	Times          // three times a day
	Weekdays       // twice a week
	MonthDays      // twice a month
	YearDays       // twice a year
	OneTime        // every day at 8:00 and 20:00: a rule has one time
	Holidays       // every weekday but holidays: a rule knows none
	Hours          // every 30 minutes: the shortest period is an hour
)

var vagueForms = sync.OnceValue(func() []*regexp.Regexp {
	const several = `(?:twice|thrice|(?:\d{1,2}|two|three|four|five|six|several|a few|a couple of|many) times)`
	return []*regexp.Regexp{
		regexp.MustCompile(`\b` + several + ` ?(?:a|an|per|every|in a)? ?(day|daily|week|month|year)(?:ly)?\b`),
		regexp.MustCompile(`\bevery (?:\d{1,3} )?(minute)s?\b|\d{1,3}(分|秒)(?:毎|ごと|おき|に1回)`),
		regexp.MustCompile(`(日|週|月|年)(?:間)?に?(?:[2-9２-９]|[二三四五六七]|数)(?:[回度]|$)`),
	}
})

// clocksForm matches two times of day.
var clocksForm = sync.OnceValue(func() *regexp.Regexp {
	const clock = `\d{1,2}(?::\d{2}|時半?|時\d{1,2}分| ?[ap]m)`
	return regexp.MustCompile(clock + ` ?(?:,|and|と|、)[^,0-9]{0,14}` + clock + `|\bat \d{1,2} ?(?:,|and) ?` + clock)
})

// Lacking returns what the words of a repetition leave open: twice a week does not say on which days.
func Lacking(text string) Lack {
	if len(text) > maxText {
		return NoLack
	}
	s := normalize(text)
	for _, f := range vagueForms() {
		m := f.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		switch m[1] {
		case "minute", "":
			return Hours
		case "day", "daily", "日":
			return Times
		case "week", "週":
			return Weekdays
		case "month", "月":
			return MonthDays
		}
		return YearDays
	}
	if clocksForm().MatchString(s) {
		return OneTime
	}
	if strings.Contains(s, "holiday") || strings.Contains(s, "祝") {
		return Holidays
	}
	return NoLack
}
