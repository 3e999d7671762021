package repeat

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"techo/internal/dates"
	"techo/internal/lazyregexp"
)

// exception is what a repetition leaves out: weekdays, or days in words.
type exception struct {
	weekdays []time.Weekday
	days     []string
	bare     bool // it names all other weekdays even without a word for every day: 日曜以外
}

var exceptForm = lazyregexp.New(`(^|,? ?\(|,? )(?:except(?: for)?|excluding|without|but not|but|skipping|` +
	`skip|not|no)(?: on)? `)

// exceptBehind matches days in Japanese and the words behind that leave them out.
var exceptBehind = sync.OnceValue(func() *regexp.Regexp {
	const day = `(?:(?:\d{4}年)?\d{1,2}月\d{1,2}日|\d{1,2}/\d{1,2}|\d{1,2}日)` +
		`(?:\([日月火水木金土]\))?`
	const weekday = `(?:[日月火水木金土]曜日?|[日月火水木金土]{2,6}|週末|平日)`
	const and = `(?:,|と|や|及び|および)`
	return regexp.MustCompile(`[ ,]*\(?(?:ただし|但し)?,?(` + day + `(?:` + and + day + `)*|` +
		weekday + `(?:` + and + weekday + `)*)(?:(?:は|を)?(?:除く|除き|除いて|のぞく|お?休み|` +
		`なし|抜き)|` +
		`(以外))\)?[のは,]?`)
})

// cutException cuts what a repetition leaves out off a normalized text: except june 15, 日曜以外.
func cutException(s string) (rest string, e exception) {
	if m := exceptBehind().FindStringSubmatchIndex(s); m != nil {
		if e, ok := leftOut(s[m[2]:m[3]]); ok {
			e.bare = m[4] >= 0
			return strings.TrimSpace(s[:m[0]] + " " + s[m[1]:]), e
		}
	}
	for _, m := range exceptForm.Get().FindAllStringSubmatchIndex(s, -1) {
		tail, after := s[m[1]:], ""
		if strings.HasSuffix(s[m[2]:m[3]], "(") {
			var closed bool
			if tail, after, closed = strings.Cut(tail, ")"); !closed {
				continue
			}
		}
		words := strings.Fields(tail)
		for n := len(words); n > 0; n-- {
			e, ok := leftOut(strings.TrimSuffix(strings.Join(words[:n], " "), ","))
			if ok && (after == "" || n == len(words)) {
				return strings.Join(append([]string{s[:m[0]]}, append(words[n:], after)...), " "), e
			}
		}
	}
	return s, e
}

// leftOut reads the days of an exception.
func leftOut(text string) (e exception, ok bool) {
	text = strings.NewReplacer(" and ", ",", "および", ",", "及び", ",", "と", ",", "や", ",").Replace(text)
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimPrefix(strings.TrimSpace(item), "the ")
		if item == "" {
			continue
		}
		if days := weekdaysIn(item); days != nil {
			e.weekdays = append(e.weekdays, days...)
			continue
		}
		if month, _, found := cutLast(e.days); found && strings.Trim(item, "0123456789") == "" {
			item = month + " " + item // june 15 and 22
		}
		m, valid := dates.Parse(item, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), dates.Future)
		if !valid || m.Timed || m.Period || !m.Wall.Equal(m.Last) || strings.Contains(item, "month") {
			return e, false
		}
		e.days = append(e.days, item)
	}
	return e, len(e.days)+len(e.weekdays) > 0 && (len(e.days) == 0 || len(e.weekdays) == 0)
}

// cutLast cuts the last of some texts at its last blank.
func cutLast(all []string) (before, after string, found bool) {
	if len(all) == 0 {
		return "", "", false
	}
	last := all[len(all)-1]
	i := strings.LastIndexByte(last, ' ')
	return last[:max(i, 0)], last[i+1:], i > 0
}

// weekdaysIn reads a text that is a list of weekdays, or nil.
func weekdaysIn(text string) []time.Weekday {
	switch text {
	case "weekend", "weekends", "週末":
		return []time.Weekday{time.Sunday, time.Saturday}
	case "平日":
		return workdays()
	}
	p := &reader{s: text}
	days, _, ok := p.weekdays()
	if !ok {
		if days, ok = workdays(), p.isWorkday(); !ok {
			days, ok = p.japaneseList(), true
		}
	}
	if !ok || p.s != "" {
		return nil
	}
	return days
}

// leaveOut takes weekdays out of a rule. It reports whether some remain.
func (r *Rule) leaveOut(days []time.Weekday) bool {
	if len(days) == 0 {
		return true
	}
	if r.Unit == Daily && r.Every == 1 {
		r.Unit, r.Days = Weekly, from(time.Sunday, time.Saturday)
	}
	if r.Unit != Weekly || len(r.Days) == 0 {
		return false
	}
	r.Days = slices.DeleteFunc(slices.Clone(r.Days), func(d time.Weekday) bool { return slices.Contains(days, d) })
	return len(r.Days) > 0
}

var duringForm = lazyregexp.New(`^(?:in |during |throughout )?((?:this|next) (?:week|month|year))\b|` +
	`^(?:in|during|throughout) ([a-z]{3,9}(?: \d{4})?)\b|` +
	`^((?:今|来|再来)[週月年]|\d{1,2}月)(?:中|いっぱい)?[はのに]?(?:$| |\d{1,2}[:時]|午)`)

// cutDuring cuts the period in which something repeats off what remains of a text: this week,
// in july, 7月の, june 8-12. One with a word such as from or から is only its beginning.
func (r *Rule) cutDuring(rest string) (during, after string) {
	m := duringForm.Get().FindStringSubmatchIndex(rest)
	switch {
	case m == nil && (r.Unit == Daily || r.Unit == Weekly && len(r.Days) > 0):
		return cutSeveral(rest)
	case m == nil:
		return "", rest
	}
	end := max(m[3], m[5], m[7]) // of the only group
	during = rest[max(m[2], m[4], m[6]):end]
	period, ok := dates.Parse(during, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), dates.Future)
	if !ok || !period.Period {
		return "", rest
	}
	after = rest[end:]
	for _, joint := range []string{"いっぱい", "中", "は", "の", "に"} {
		after = strings.TrimPrefix(after, joint)
	}
	return during, strings.TrimSpace(after)
}

// cutSeveral cuts several days off what remains of a text, before or behind a time of day.
func cutSeveral(rest string) (days, clock string) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	several := func(text string) bool {
		m, ok := dates.Parse(text, now, dates.Future)
		return ok && !m.Timed && !m.Period && m.Last.After(m.Wall)
	}
	for i, c := range rest + " " {
		if c != ' ' {
			continue
		}
		front, back := rest[:i], rest[min(i+1, len(rest)):]
		for _, way := range [][2]string{{front, back}, {back, front}} {
			m, ok := dates.Parse(way[1], now, dates.Future)
			if several(way[0]) && (way[1] == "" || ok && m.Timed) {
				return way[0], tidy(way[1])
			}
		}
	}
	return "", rest
}
