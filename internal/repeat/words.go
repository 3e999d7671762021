package repeat

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"
)

// maxText is the length of the longest text that is read, in bytes.
const maxText = 150

// Find reads the repetition in a text, such as "every monday 7am". rest is what remains: the time.
func Find(text string) (r Rule, rest string, ok bool) {
	if len(text) > maxText {
		return r, "", false
	}
	s := normalize(text)
	s, span := cutSpan(s)
	s, count, until := cutEnd(s)
	r, from, to, ok := match(s)
	if !ok {
		return r, "", false
	}
	r.Every = max(r.Every, 1)
	if span.number > 0 {
		if span.unit != r.Unit || len(r.Days) > 1 || span.number%r.Every != 0 || count > 0 {
			return r, "", false
		}
		count = span.number / r.Every
	}
	r.Count, r.Until = count, until
	return r, withPart(s[from:to], tidy(s[:from]+" "+s[to:])), true
}

// match returns the first form that a text in lower case has, and its place.
func match(s string) (r Rule, from, to int, ok bool) {
	for _, f := range forms() {
		m := f.pattern.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		if r, ok = f.read(groups{s, m, f.pattern.SubexpNames()}); ok {
			return r, m[0], m[1], true
		}
	}
	return r, 0, 0, false
}

// normalize returns a text in lower case, with narrow digits and single blanks.
func normalize(text string) string {
	s := strings.ToLower(norm.NFKC.String(text))
	s = strings.NewReplacer("、", ",", "・", ",", "&", " and ", "–", "-", "—", "-").Replace(s)
	s = " " + strings.Join(strings.Fields(s), " ")
	s = strings.NewReplacer(" each ", " every ", " everyday", " every day").Replace(s)
	return strings.TrimSpace(s)
}

// tidy removes what joins a repetition and a time.
func tidy(rest string) string {
	rest = strings.Trim(rest, " ,;")
	for _, joint := range []string{"at ", "from ", "に", "の", "は"} {
		rest = strings.TrimPrefix(rest, joint)
	}
	for _, joint := range []string{" at", " on", "に", "の"} {
		rest = strings.TrimSuffix(rest, joint)
	}
	return strings.Join(strings.Fields(strings.Trim(rest, " ,;")), " ")
}

// withPart adds the part of the day that a repetition names to the time beside it.
func withPart(matched, rest string) string {
	for begin, part := range map[string]string{"毎朝": "朝", "毎晩": "夜", "毎夕": "夕方"} {
		if strings.HasPrefix(matched, begin) {
			return part + rest
		}
	}
	for _, part := range []string{"morning", "afternoon", "evening", "night"} {
		switch {
		case !strings.HasPrefix(matched, "every "+part):
		case rest == "":
			return part
		case part == "night":
			return rest + " at night"
		default:
			return rest + " in the " + part
		}
	}
	return rest
}

var endForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`,? ?\b(?:until|till|through) (?P<until>.+)$`),
		regexp.MustCompile(`,?(?P<until>[0-9年月日/-]*[0-9年月日末])まで,?`),
		regexp.MustCompile(`,? ?(?:\bfor )?\b(?P<count>\d{1,3}) (?:times|occurrences)\b`),
		regexp.MustCompile(`,?(?P<count>\d{1,3})回`),
	}
})

// span is a number of units for which something repeats.
type span struct {
	number int
	unit   Unit
}

var spanForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,? ?\bfor (?:the next )?(\d{1,3}) (day|week|month|year)s?\b`)
})

// cutSpan cuts such a number off: weekly for 6 weeks.
func cutSpan(s string) (rest string, of span) {
	m := spanForm().FindStringSubmatchIndex(s)
	if m == nil {
		return s, of
	}
	of.number = number(s[m[2]:m[3]])
	of.unit = Unit(slices.Index([]string{"day", "week", "month", "year"}, s[m[4]:m[5]]))
	return strings.TrimSpace(s[:m[0]] + " " + s[m[1]:]), of
}

// cutEnd cuts the end of a repetition off: until a day, or so many times.
func cutEnd(s string) (rest string, count int, until string) {
	for _, f := range endForms() {
		m := f.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		value := s[m[2]:m[3]]
		if f.SubexpNames()[1] == "count" {
			count, _ = strconv.Atoi(value)
		} else {
			until = value
		}
		s = strings.TrimSpace(s[:m[0]] + " " + s[m[1]:])
	}
	return s, count, until
}

// groups are the named parts of a match.
type groups struct {
	text  string
	at    []int
	names []string
}

func (g groups) get(name string) string {
	i := slices.Index(g.names, name)
	if i < 0 || g.at[2*i] < 0 {
		return ""
	}
	return g.text[g.at[2*i]:g.at[2*i+1]]
}

// number reads a number of one to three digits or in words; 0 for none.
func number(text string) int {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	words := strings.Fields("one two three four five six seven eight nine ten eleven twelve")
	for _, all := range [][]string{words, strings.Split("一二三四五六七八九", "")} {
		if i := slices.Index(all, text); i >= 0 {
			return i + 1
		}
	}
	if text == "other" || text == "second" || text == "alternate" {
		return 2
	}
	return 0
}

// ordinal reads first, 2nd or last; 0 for none.
func ordinal(text string) int {
	text = strings.TrimSpace(text)
	if text == "last" || text == "最終" || text == "最後の" {
		return -1
	}
	words := []string{"", "first", "second", "third", "fourth", "fifth"}
	if i := slices.Index(words, text); i > 0 {
		return i
	}
	return number(strings.TrimRight(text, "stndrh"))
}

// weekdays reads a list of weekdays.
func weekdays(list string) (days []time.Weekday) {
	add := func(d time.Weekday) {
		if !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	for _, w := range wordForm().FindAllString(list, -1) {
		for d := time.Sunday; d <= time.Saturday; d++ {
			if strings.HasPrefix(w, strings.ToLower(d.String())[:3]) {
				add(d)
			}
		}
	}
	for _, r := range strings.NewReplacer("曜日", "", "曜", "").Replace(list) {
		if i := strings.IndexRune("日月火水木金土", r); i >= 0 {
			add(time.Weekday(i / 3))
		}
	}
	slices.Sort(days)
	return days
}

var wordForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[a-z]+`) })

// month reads the name of a month; 0 for none.
func month(text string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if len(text) >= 3 && strings.HasPrefix(strings.ToLower(m.String()), text[:3]) {
			return m
		}
	}
	return 0
}

// Span returns the place of a repetition in a text. It finds none in a text whose letters change
// their size in lower case.
func Span(text string) (from, to int, ok bool) {
	s := strings.ToLower(text)
	if len(text) > maxText || len(s) != len(text) {
		return 0, 0, false
	}
	_, from, to, ok = match(s)
	return from, to, ok
}
