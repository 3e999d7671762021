package dates

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"techo/internal/lazyregexp"
	"techo/internal/sorting"
)

// Found is a time that a text names: some days, or the time on one side of them.
type Found struct {
	Moment          // the days
	Side       Side // of them
	Start, End int  // byte offsets of the name in the text, with the words for the side

	Range bool // the days are those from one to another: June 3 to 5

	// Dated tells that other texts may name the days in the same words: June 3 or 2026, but
	// not last week, since June or June 3 to 5.
	Dated bool
}

// Side is where a time lies beside some days.
type Side byte

// The sides.
const (
	In     Side = iota // the days themselves
	Before             // until the day before the first
	Until              // until the last one
	Since              // from the first one on
	After              // from the day after the last one on
)

// Days returns the first and the last day of the time; zero if it has none.
func (f Found) Days() (first, last time.Time) {
	switch f.Side {
	case Before:
		return first, f.Wall.AddDate(0, 0, -1)
	case Until:
		return first, f.Last
	case Since:
		return f.Wall, last
	case After:
		return f.Last.AddDate(0, 0, 1), last
	}
	return f.Wall, f.Last
}

// Told reports whether a text is in the past tense.
func Told(text string) bool { return pastTense.Get().MatchString(text) }

// Find returns the first time that a text names in passing: "notes from 20 April",
// 先月の会議, "before June 3", 3月から5月まで. It is of the past. A number alone is no year, and
// may and march alone are no months.
func Find(text string, now time.Time) (found Found, ok bool) {
	for _, m := range names(text) {
		if found, ok = (&naming{text, now}).read(m); ok {
			return found, true
		}
	}
	return found, false
}

// mayName reports whether a text can match English or Japanese shapes. It saves compiling
// them.
func mayName(text string) (english, japanese bool) {
	for i := range len(text) {
		c := text[i]
		english = english || c >= '0' && c <= '9'
		japanese = japanese || c >= utf8.RuneSelf
	}
	if english {
		return true, japanese
	}
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' }
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isLetter(r) })
	named := func(w string) bool { return strings.Contains(shapeWords, " "+w+" ") }
	return slices.ContainsFunc(words, named), japanese
}

// shapeWords has a word of each shape that needs neither a digit nor a character
// beyond ASCII.
const shapeWords = " january february march april may june july august september october november december " +
	"jan feb mar apr jun jul aug sept sep oct nov dec yesterday today this last past previous ago " +
	"monday tuesday wednesday thursday friday saturday sunday " +
	"spring summer autumn fall winter quarter recently lately recent other beginning start end half "

const (
	monthNames = `(?:january|february|march|april|may|june|july|august|september|october|november|december|` +
		`jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b`
	yearNumber = `(?:19|20)\d\d`
	monthDay   = `[0-3]?\d(?:st|nd|rd|th)?`
	someNumber = `(?:\d{1,3}|an?|(?:a )?couple of|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`
	someUnits  = `(?:days?|weeks?|months?|quarters?|years?)`
	weekdays   = `(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b`
	monthEdge  = `(?:(?:the )?(?:end|beginning|start|middle|first half|second half) of )`

	kanjiDigits    = `[一二三四五六七八九十]+`
	japaneseNumber = `(?:\d{1,3}|` + kanjiDigits + `)`
	japaneseUnits  = `(?:日|週間|[かヶカケ箇]月|年)`
	japaneseEdge   = `(?:上旬|中旬|下旬|前半|後半|初旬|半ば)`
	japaneseDay    = `(?:1?\d|` + kanjiDigits + `)月(?:(?:\d{1,2}|` + kanjiDigits + `)日|` + japaneseEdge +
		`|末日?|初め)?`
	japaneseWeekday = `[月火水木金土日]曜日?`
)

// shape is a form of names. The name is the first group.
type shape struct {
	*regexp.Regexp
	dated bool
}

func newShape(text string, dated bool) shape { return shape{regexp.MustCompile(`(?i)` + text), dated} }

// bareDay matches a weekday that no word in front makes a time.
var bareDay = lazyregexp.New(`(?i)(?:^|[\s、。,.])(?:on )?(` + weekdays + `)(?:'s)?(?:$|[\s?？!.,])|(?:^|[^先今来々週のの])(` + japaneseWeekday +
	`)(?:に|の|$)`)

var englishShapes = sync.OnceValue(func() []shape {
	return []shape{
		newShape(`\b(`+yearNumber+`[-/]\d\d?(?:[-/]\d\d?)?)\b`, true),
		newShape(`\b(`+monthDay+` (?:of )?`+monthNames+`(?:,? `+yearNumber+`)?)`, true),
		newShape(`\b(`+monthNames+` `+monthDay+`\b(?:,? `+yearNumber+`)?)`, true),
		newShape(`\b(`+monthNames+`,? `+yearNumber+`)\b`, true),
		newShape(`\b(?:in|during|last|of|since|until|from|between) (`+monthNames+`)`, true),
		newShape(`\b(?:in|during|since|until|from|between) (`+yearNumber+`)\b`, true),
		newShape(`\b((?:early|mid|late)[ -]`+monthNames+`(?:,? `+yearNumber+`)?)`, true),
		newShape(`\b((?:the )?day before yesterday|yesterday|today)\b`, false),
		newShape(`\b((?:this|last) (?:week(?:end)?|month|quarter|year|`+weekdays+`))\b`, false),
		newShape(`\b((?:(?:the|this|these) )?(?:last|past|previous) `+someNumber+` `+someUnits+`)\b`, false),
		newShape(`\b((?:the|this) (?:last|past) (?:week|month|quarter|year))\b`, false),
		newShape(`\b(`+someNumber+` `+someUnits+` ago)\b`, false),
		newShape(`\b(half an? (?:month|year) ago|(?:a few|several|some) (?:days|weeks|months|years) ago|`+
			`(?:an?|one|two|three|four|[1-4]) fortnights? ago|(?:the )?(?:last|past) fortnight|`+
			`(?:the )?(?:last|past) few days)\b`, false),
		newShape(`\b((?:most )?recently|lately|in recent (?:days|weeks)|the other day)\b`, false),
		newShape(`\b((?:the )?(?:end|beginning|start) of (?:last|this) (?:month|year))\b`, false),
		newShape(`\b((?:last|this|past) `+englishSeasons+`)\b`, false),
		newShape(`\b(?:in|during|over|since|until|before|after|by) ((?:the )?(?:early |late |mid-?)?`+englishSeasons+
			`(?:(?: of|,)? `+yearNumber+`)?)\b`, true),
		newShape(`\b((?:the )?`+englishSeasons+`(?: of|,)? `+yearNumber+`)\b`, true),
		newShape(`\b(q[1-4]\b(?:,? `+yearNumber+`)?)`, true),
		newShape(`\b((?:the )?(?:first|second|third|fourth) quarter(?: of (?:`+yearNumber+`|(?:last|this) year))?)\b`, true),
		newShape(`\b((?:the )?(?:first|second) half of (?:`+yearNumber+`|(?:last|this) year))\b`, true),
		// These need a word in front of them to be times.
		newShape(leadWords+vaguely+`(`+monthNames+yearTail+`|`+weekdays+`|`+yearNumber+`\b|q[1-4]\b`+
			yearTail+`)`, false),
		newShape(`\b(?:`+laterWords+`) `+vaguely+`((?:jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|january|`+
			`february|march|july|september|october|november|december)\b`+yearTail+`|`+weekdays+`|`+
			yearNumber+`\b|q[1-4]\b`+yearTail+`)`, false),
		newShape(`\b(?:`+beforeWords+`|`+untilWords+`|`+sinceWords+`|`+afterWords+`|`+rangeWords+`) (`+
			monthEdge+`(?:`+monthNames+yearTail+`|(?:last|this) (?:week|month|year)|`+
			yearNumber+`\b))`, false),
		newShape(`\b(`+monthDay+` ?(?:-|–|to|and|through) ?`+monthDay+` (?:of )?`+monthNames+yearTail+`)`,
			false),
	}
})

var japaneseShapes = sync.OnceValue(func() []shape {
	return []shape{
		newShape(`((?:`+yearNumber+`年)?`+japaneseDay+`|`+yearNumber+`年)`, true),
		newShape(`((?:一昨年|おととし|去年|昨年|今年|先月|今月)の?(?:`+japaneseDay+`|\d{1,2}日))`,
			false),
		newShape(`(一昨日|おととい|昨日|きのう|今日|本日|先週末)`, false),
		newShape(`(一昨年|おととし|去年|昨年|今年)`, false),
		newShape(`((?:先々|先|今)[週月])`, false),
		newShape(`((?:先々週|先週|今週)の?[月火水木金土日]曜日?)`, false),
		newShape(`((?:過去|ここ|この|直近の?|最近の?)`+japaneseNumber+japaneseUnits+`間?)`, false),
		newShape(`(`+japaneseNumber+japaneseUnits+`前)`, false),
		newShape(`(1?\d月\d{1,2}日?[〜～~–-]\d{1,2}日)`, false),
		newShape(`(半[年月](?:ほど|くらい|ぐらい)?前|数(?:日|週間|[かヶカケ箇]月|年)前)`, false),
		newShape(`(最近|近頃|近ごろ|この頃|このごろ|ここ最近|ここのところ|先日|この間|このあいだ|こないだ|ここ数日間?)`, false),
		newShape(`((?:一昨年|おととし|去年|昨年|今年|先月|今月)の?(?:末|初め|始め|頭|初))`, false),
		newShape(`((?:この|昨|`+relativeYear+`)[春夏秋冬])(?:$|[^一-龠])`, true),
		newShape(`(?:^|[^一-龠])([春夏秋冬])(?:に|の|は|から|頃|ごろ|先|$)`, true),
		newShape(`((?:`+relativeYear+`)?(?:第[1-4一二三四]四半期|[上下]半期))`, true),
		newShape(`(`+japaneseWeekday+`)(?:から|以[降後前来]|まで|より|の[前後]|[前後]に)`, false),
	}
})

// name is a part of a text that may name days.
type name struct {
	start, end int
	dated      bool
	bare       bool // a weekday alone
}

// names returns the parts of a text that may name days, the first one first, and the
// longest first where several begin together.
func names(text string) (all []name) {
	english, japanese := mayName(text)
	var forms []shape
	if english {
		forms = append(forms, englishShapes()...)
	}
	if japanese {
		forms = append(forms, japaneseShapes()...)
	}
	for _, s := range forms {
		for _, m := range s.FindAllStringSubmatchIndex(text, -1) {
			all = append(all, name{m[2], m[3], s.dated, false})
		}
	}
	if english || japanese {
		for _, m := range bareDay.Get().FindAllStringSubmatchIndex(text, -1) {
			all = append(all, name{max(m[2], m[4]), max(m[3], m[5]), true, true})
		}
	}
	sorting.By(all, func(a, b name) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	return all
}

// naming reads the time that a text names.
type naming struct {
	text string
	now  time.Time
}

// read reads a name with what stands around it.
func (n *naming) read(at name) (found Found, ok bool) {
	if at.bare && !pastDay(n.text) {
		return found, false
	}
	m, ok := n.parse(at, Past)
	if !ok {
		return found, false
	}
	found = Found{Moment: m, Start: at.start, End: at.end, Dated: at.dated}
	switch {
	case n.ends(&found):
		found.Range, found.Dated = true, false
	case n.sided(&found):
		n.turn(&found, at)
		found.Dated = false
	case !at.dated:
		n.widen(&found)
	}
	return found, true
}

// parse parses a name. It is a number of days until today if it counts them.
func (n *naming) parse(at name, prefer Prefer) (m Moment, ok bool) {
	text := strings.TrimSuffix(n.text[at.start:at.end], ".")
	if g := counted.Get().FindStringSubmatch(text); g != nil {
		text = "last " + g[1] + g[2]
	} else if g := rolling.Get().FindStringSubmatch(text); g != nil && !strings.HasPrefix(n.text[at.end:], " of ") {
		text = "last 1 " + g[1]
	} else if isRange.Get().MatchString(text) {
		text = strings.Replace(text, " and ", " to ", 1)
	}
	if m, ok := vagueText(text, n.now); ok {
		return m, n.now.Year() > 10 && !strings.HasPrefix(n.text[at.end:], " of ") // the fall of Rome
	}
	m, ok = Parse(text, n.now, prefer)
	return m, ok && !m.Timed && m.End == nil
}

var (
	// counted matches a number of units until today in Japanese.
	counted = lazyregexp.New(`^(?:過去|ここ|この|直近の?|最近の?)(` + japaneseNumber + `)(` +
		japaneseUnits + `間?)$`)
	// rolling matches a unit until today: "the last month" is not the month before this one.
	rolling = lazyregexp.New(`(?i)^(?:the|this) (?:last|past) (week|month|quarter|year)$`)
	// distant matches a number of long units before today.
	distant = lazyregexp.New(`(?i)(weeks?|months?|years?) ago$|(週間|月|年)前$`)
)

// widen makes a week, month or year ago more than one day: people do not mean the very day.
func (n *naming) widen(f *Found) {
	g := distant.Get().FindStringSubmatch(n.text[f.Start:f.End])
	if _, vague := vagueText(n.text[f.Start:f.End], n.now); g == nil || vague {
		return
	}
	switch unit := g[1] + g[2]; {
	case strings.HasPrefix(strings.ToLower(unit), "week"), unit == "週間":
		f.Wall, f.Last = f.Wall.AddDate(0, 0, -3), f.Wall.AddDate(0, 0, 3)
	case strings.HasPrefix(strings.ToLower(unit), "month"), unit == "月":
		f.Wall = f.Wall.AddDate(0, 0, 1-f.Wall.Day())
		f.Last = f.Wall.AddDate(0, 1, -1)
	default:
		f.Wall = time.Date(f.Wall.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		f.Last = f.Wall.AddDate(1, 0, -1)
	}
	f.Period = true
}
