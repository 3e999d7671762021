package repeat

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// form is a way to say a repetition.
type form struct {
	pattern *regexp.Regexp
	read    func(g groups) (Rule, bool)
}

// The parts of the patterns. A weekday in English is a word of its own.
const (
	dayPart   = `(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?`
	listPart  = `(?P<days>` + dayPart + `(?:(?: ?, ?(?:and )?| and |/)` + dayPart + `)*)\b`
	nthPart   = `(?P<nth>first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)`
	countPart = `(?:(?P<n>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|other|second|alternate) )?`
	dayOfPart = `(?P<date>\d{1,2})(?:st|nd|rd|th)?`
	monthPart = `(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`

	jaCount = `(?P<n>\d{1,3}|[二三四五六])`
	jaEach  = `(?:ごと|毎)(?:に|の)?`
	jaList  = `(?P<days>[月火水木金土日]曜日?(?:[と,や]?[月火水木金土日]曜日?)*|` +
		`[月火水木金土日](?:[と,や]?[月火水木金土日])*(?:曜日|曜)` + `)`
)

// onPart is what may follow a period: the days in it.
const onPart = `(?: on (?:the )?(?:` + listPart + `|` +
	nthPart + ` (?P<nthday>` + dayPart + `)\b|(?P<lastday>last day)|` +
	`day ` + `(?P<day>\d{1,2})\b|` + monthPart + ` (?P<mdate>\d{1,2})(?:st|nd|rd|th)?\b|` +
	`(?P<dmonth>\d{1,2})(?:st|nd|rd|th)? (?P<mname>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|` +
	dayOfPart + `\b)(?: of (?:the|each|every) month)?)?`

// forms returns the forms, the longer ones before their beginnings.
var forms = sync.OnceValue(func() []form {
	p := regexp.MustCompile
	return []form{
		{p(`\b(?:every |on )?(?P<which>weekdays?|workdays?|working days?|weekends?)\b`), readWorkdays},
		{p(`\bevery ` + nthPart + ` (?P<nthday>` + dayPart + `)\b(?P<of> (?:of|in) (?:the|each|every) month)?`),
			readNth},
		{p(`\b(?:on )?the ` + nthPart + ` (?P<nthday>` + dayPart + `)\b(?P<of> of (?:each|every) month)`),
			readNth},
		{p(`\b(?:on )?the (?:(?P<lastday>last day)|` + dayOfPart + `) of (?:each|every) month\b`), readPeriod},
		{p(`\bevery day (?:except|but)(?: on)? ` + listPart), readExcept},
		{p(`\bevery ` + countPart + `(?P<unit>day|week|month|quarter|year)s?\b` + onPart), readPeriod},
		{p(`\bevery (?:` + monthPart + ` (?P<mdate>\d{1,2})(?:st|nd|rd|th)?|` +
			`(?P<dmonth>\d{1,2})(?:st|nd|rd|th)? (?P<mname>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b`),
			readDate},
		{p(`\b(?P<adverb>daily|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)\b` + onPart), readPeriod},
		{p(`\bevery (?P<part>morning|afternoon|evening|night)\b(?: at)?`), always(Daily)},
		{p(`\bevery (?P<other>other |second )?` + listPart), readDays},
		{p(`\b(?:on )?(?P<days>(?:` + dayPart +
			`(?: ?, ?| and |/))*(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b`), readDays},
		{p(`\bevery (?P<date>\d{1,2})(?:st|nd|rd|th)(?: of (?:the|each|every) month)?\b`), readPeriod},

		{p(`毎週末|毎?(?P<which>平日|週末)`), readWorkdays},
		{p(`毎(?P<days>` + `[月火水木金土日]曜日?)`), readDays},
		{p(`(?:毎週|(?P<other>隔週)|` + jaCount + `週間?` + jaEach + `)(?:の)?` + jaList + `?`), readWeeks},
		{p(`(?:毎月|(?P<other>隔月)|` + jaCount + `[かヶケカ箇]月` + jaEach + `)(?:の)?(?:` +
			`第(?P<nth>[1-5一二三四五])(?P<nthday>[月火水木金土日])曜日?|` +
			`(?P<last>最終|最後の)(?P<lastwd>[月火水木金土日])曜日?|` +
			`(?P<lastday>末日?|最終日)|(?P<date>\d{1,2})日)?`), readMonths},
		{p(`(?P<lastday>毎?月末)`), readMonths},
		{p(`(?:毎年|` + jaCount + `年` + jaEach + `)(?:の)?(?:(?P<mnum>\d{1,2})月(?P<date>\d{1,2})日)?`),
			readYears},
		{p(`(?:毎日|毎朝|毎晩|毎夕|(?P<other>隔日)|` + jaCount + `日` + jaEach + `)`), readEachDay},
	}
})

func always(u Unit) func(groups) (Rule, bool) {
	return func(groups) (Rule, bool) { return Rule{Unit: u}, true }
}

func readWorkdays(g groups) (Rule, bool) {
	if which := g.get("which"); which == "" || strings.HasPrefix(which, "weekend") || which == "週末" {
		return Rule{Unit: Weekly, Days: []time.Weekday{time.Sunday, time.Saturday}}, true
	}
	return Rule{Unit: Weekly, Days: []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday,
		time.Friday}}, true
}

// readNth reads every first Monday. Without "of the month", every second Monday is every other
// one, as most people mean it.
func readNth(g groups) (Rule, bool) {
	r := Rule{Unit: Monthly, Nth: ordinal(g.get("nth")), Days: weekdays(g.get("nthday"))}
	if r.Nth == 2 && g.get("of") == "" {
		r = Rule{Unit: Weekly, Every: 2, Days: r.Days, Doubt: true}
	}
	return r, true
}

// readPeriod reads a period and the days in it.
func readPeriod(g groups) (r Rule, ok bool) {
	r.Every = number(g.get("n"))
	switch word := g.get("unit") + g.get("adverb"); word {
	case "day", "daily":
		r.Unit = Daily
	case "week", "weekly":
		r.Unit = Weekly
	case "biweekly", "fortnightly":
		r.Unit, r.Every = Weekly, 2
	case "year", "yearly", "annually":
		r.Unit = Yearly
	case "quarter", "quarterly":
		r.Unit, r.Every = Monthly, 3*max(r.Every, 1)
	default:
		r.Unit = Monthly
	}
	if g.get("n") != "" && r.Every == 0 {
		return r, false
	}
	return r, r.narrow(g)
}

// readDate reads every 3 March.
func readDate(g groups) (Rule, bool) {
	r := Rule{Unit: Yearly}
	return r, r.narrow(g)
}

// readExcept reads every day except some of the week.
func readExcept(g groups) (Rule, bool) {
	r, but := Rule{Unit: Weekly}, weekdays(g.get("days"))
	for day := time.Sunday; day <= time.Saturday; day++ {
		if !slices.Contains(but, day) {
			r.Days = append(r.Days, day)
		}
	}
	return r, len(but) > 0 && len(r.Days) > 0
}

// narrow reads the days in a period.
func (r *Rule) narrow(g groups) bool {
	days, nth := weekdays(g.get("days")), ordinal(g.get("nth"))
	r.MonthDay = max(number(g.get("date")), number(g.get("day")), number(g.get("mdate")), number(g.get("dmonth")))
	r.Month = max(month(g.get("month")), month(g.get("mname")), time.Month(number(g.get("mnum"))))
	switch {
	case len(days) > 0:
		r.Days = days
		return r.Unit == Weekly
	case nth != 0:
		r.Nth, r.Days = nth, weekdays(g.get("nthday"))
		return r.Unit == Monthly
	case g.get("lastday") != "":
		r.MonthDay = -1
		return r.Unit == Monthly
	case r.Month != 0:
		return r.Unit == Yearly && r.Month <= 12 && r.MonthDay >= 1 && r.MonthDay <= longest(r.Month)
	case r.MonthDay != 0:
		return r.Unit == Monthly && r.MonthDay <= 31
	}
	return true
}

// longest returns the number of days of a month in a leap year.
func longest(m time.Month) int { return time.Date(2000, m+1, 0, 0, 0, 0, 0, time.UTC).Day() }

func readDays(g groups) (Rule, bool) {
	r := Rule{Unit: Weekly, Days: weekdays(g.get("days"))}
	if other := g.get("other"); other != "" {
		r.Every, r.Doubt = 2, other == "second "
	}
	return r, len(r.Days) > 0
}

// japanese begins a rule of a Japanese period.
func japanese(u Unit, g groups) Rule {
	r := Rule{Unit: u, Every: number(g.get("n"))}
	if g.get("other") != "" {
		r.Every = 2
	}
	return r
}

func readWeeks(g groups) (Rule, bool) {
	r := japanese(Weekly, g)
	return r, r.narrow(g)
}

func readMonths(g groups) (Rule, bool) {
	r := japanese(Monthly, g)
	if g.get("last") != "" {
		r.Nth, r.Days = -1, weekdays(g.get("lastwd"))
		return r, true
	}
	return r, r.narrow(g)
}

func readYears(g groups) (Rule, bool) {
	r := japanese(Yearly, g)
	return r, r.narrow(g)
}

func readEachDay(g groups) (Rule, bool) { return japanese(Daily, g), true }
