package repeat

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Period is a number of days, weeks, months or years.
type Period struct {
	N    int
	Unit Unit
}

// afterForms match a time after something was done: 3 days after it was done, 完了の3日後.
var afterForms = sync.OnceValue(func() []*regexp.Regexp {
	const done = `(?:done|completed|finished|completion|completing(?: it)?|doing(?: it)?|finishing(?: it)?)`
	return []*regexp.Regexp{
		regexp.MustCompile(`^(?:every )?(?:(?P<n>\d{1,3}|an?|[a-z]+) )?(?P<unit>day|week|month|year)s? after ` +
			`(?:(?:it|i)(?: is| was|'s| has been)? |each |the last |last |being )?(?:` + done + `|did it)(?: it)?$`),
		regexp.MustCompile(`^(?:(?:完了|終了|実施)日?|` +
			`(?:(?:完了|終了|実施)?し|やっ|終わっ)(?:た日|て|た)|` +
			`済んで|済んだ日|(?:完了|終了|実施)後)(?:の|から|に)?` +
			`(?P<n>\d{1,3}|[一二三四五六七八九])(?P<unit>日|週間?|[かヶケカ箇]月|年)後?$`),
	}
})

// AfterDone reads a repetition that counts from the day on which something was done.
func AfterDone(text string) (p Period, ok bool) {
	if len(text) > maxText {
		return p, false
	}
	s := normalize(text)
	for _, f := range afterForms() {
		m := f.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		g := groups{s, m, f.SubexpNames()}
		if g.get("n") == "" && !strings.HasPrefix(s, "every ") {
			continue
		}
		if p.N = number(g.get("n")); slices.Contains([]string{"", "a", "an"}, g.get("n")) {
			p.N = 1
		}
		switch unit := g.get("unit"); {
		case unit == "day" || unit == "日":
			p.Unit = Daily
		case unit == "week" || unit[:len("週")] == "週":
			p.Unit = Weekly
		case unit == "year" || unit == "年":
			p.Unit = Yearly
		default:
			p.Unit = Monthly
		}
		return p, p.N > 0
	}
	return Period{}, false
}
