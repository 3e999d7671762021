package dates

import (
	"strconv"
	"strings"
	"time"

	"techo/internal/lazyregexp"
)

// # Vague times
//
// People name times that no calendar has: last spring, half a year ago, recently, 数日前, 先日. Each stands for days
// around it. Seasons are those of the north, by whole months.

// The days that vague words stand for, until today.
const (
	recentDays = 30 // recently, 最近
	otherDays  = 14 // the other day, 先日
)

// seasonMonths has the first month of each season.
var seasonMonths = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
	"春": 3, "夏": 6, "秋": 9, "冬": 12}

const (
	englishSeasons = `(?:spring|summer|autumn|fall|winter)`
	relativeYear   = `(?:一昨年|おととし|去年|昨年|今年|来年|再来年|` + yearNumber + `年)の?`
)

// vagueText reads a vague time.
func vagueText(text string, now time.Time) (m Moment, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if g := inSeason.Get().FindStringSubmatch(text); g != nil {
		return seasonOf(g, now, Past), true
	}
	if g := someAgo.Get().FindStringSubmatch(text); g != nil {
		return few(g[1]+g[2], now), true
	}
	if g := halfAgo.Get().FindStringSubmatch(text); g != nil {
		if g[1]+g[2] == "month" || g[1]+g[2] == "月" {
			return daysAround(dayOf(now).AddDate(0, 0, -15), 3), true
		}
		return monthOf(addMonths(dayOf(now), -6)), true
	}
	if g := fortnightAgo.Get().FindStringSubmatch(text); g != nil {
		n := 1
		for i, word := range []string{"two", "three", "four"} {
			if g[1] == word || g[1] == strconv.Itoa(i+2) {
				n = i + 2
			}
		}
		return daysAround(dayOf(now).AddDate(0, 0, -14*n), 3), true
	}
	if g := quarterText.Get().FindStringSubmatch(text); g != nil {
		return namedQuarter(g, now, Past), true
	}
	if g := edgeOfYear.Get().FindStringSubmatch(text); g != nil {
		return yearEdge(g, now), true
	}
	days := 0
	switch {
	case recentText.Get().FindStringSubmatch(text) != nil:
		days = recentDays
	case otherText.Get().FindStringSubmatch(text) != nil:
		days = otherDays
	case lastFortnight.Get().FindStringSubmatch(text) != nil:
		days = 14
	default:
		return m, false
	}
	return spanOf(dayOf(now).AddDate(0, 0, -days), dayOf(now)), true
}

var (
	inSeason = lazyregexp.New(`^(?:the |early |late |mid-?)*(last |this |past |next )?(` + englishSeasons + `)(?:(?: of|,)? (` +
		yearNumber + `))?$|^(この|昨|` + relativeYear + `)?([春夏秋冬])$`)
	someAgo = lazyregexp.New(`^(?:a few|several|some) (day|week|month|year)s ago$|^数(日|週間|[かヶカケ箇]月|年)前$`)
	halfAgo = lazyregexp.New(`^half an? (month|year) ago$|^半(月|年)(?:ほど|くらい|ぐらい)?前$`)

	fortnightAgo  = lazyregexp.New(`^(an?|one|two|three|four|[1-4]) fortnights? ago$`)
	lastFortnight = lazyregexp.New(`^(?:the )?(?:last|past) fortnight$`)
	quarterText   = lazyregexp.New(`^(?:the )?(first|second|third|fourth) (quarter|half)(?: of (?:(` + yearNumber +
		`)|(last|this) year))?$|^(` + relativeYear + `)?(?:第([1-4一二三四])四半期|([上下])半期)$`)
	edgeOfYear = lazyregexp.New(`^(一昨年|おととし|去年|昨年|今年|先月|今月)の?(末|初め|始め|頭|初)$|^(?:the )?` +
		`(end|beginning|start) of (last|this) (month|year)$`)
	recentText = lazyregexp.New(`^(?:(?:most )?recently|lately|in recent (?:days|weeks)|最近|近頃|近ごろ|この頃|このごろ|ここ最近|` +
		`ここのところ)$`)
	otherText = lazyregexp.New(`^(?:the other day|先日|この間|このあいだ|こないだ|ここ数日(?:間)?|(?:the )?(?:last|past) few days)$`)
)

// spanOf returns the days from one to another.
func spanOf(first, last time.Time) Moment {
	return Moment{Wall: first, Last: last, Period: true, Words: true}
}

func daysAround(day time.Time, n int) Moment {
	return spanOf(day.AddDate(0, 0, -n), day.AddDate(0, 0, n))
}

func monthOf(day time.Time) Moment {
	first := day.AddDate(0, 0, 1-day.Day())
	return spanOf(first, first.AddDate(0, 1, -1))
}

// few returns some days around a few units ago: two to six.
func few(unit string, now time.Time) Moment {
	today, days := dayOf(now), 1
	switch unit {
	case "day", "日":
	case "week", "週間":
		days = 7
	case "year", "年":
		return spanOf(today.AddDate(-6, 0, 0), today.AddDate(-2, 0, 0))
	default:
		return spanOf(addMonths(today, -6), addMonths(today, -2))
	}
	return spanOf(today.AddDate(0, 0, -6*days), today.AddDate(0, 0, -2*days))
}

// yearIn returns the year that a word names, 0 for none.
func yearIn(text string, now time.Time) int {
	switch text = strings.TrimSuffix(strings.TrimSuffix(text, "の"), "年"); text {
	case "一昨", "おととし":
		return now.Year() - 2
	case "去", "昨", "last":
		return now.Year() - 1
	case "今", "this":
		return now.Year()
	case "来":
		return now.Year() + 1
	case "再来":
		return now.Year() + 2
	}
	year, _ := strconv.Atoi(text)
	return year
}

// period reads a season or a quarter in words.
func period(text string, now time.Time, prefer Prefer) (m Moment, ok bool) {
	if !periodWord(text) {
		return m, false
	}
	text = strings.TrimPrefix(text, "in ")
	if g := inSeason.Get().FindStringSubmatch(text); g != nil && !strings.HasPrefix(text, "early") && !strings.HasPrefix(text, "mid") &&
		!strings.HasPrefix(text, "late ") {
		return seasonOf(g, now, prefer), true
	}
	if g := quarterText.Get().FindStringSubmatch(text); g != nil {
		return namedQuarter(g, now, prefer), true
	}
	return m, false
}

// periodWord reports whether a text may name a season or a quarter. It spares most texts the patterns.
func periodWord(text string) bool {
	for _, word := range []string{"spring", "summer", "autumn", "fall", "winter", "quarter", "half", "春", "夏", "秋", "冬", "期"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// nearest returns the last period that has begun or, for Future, the first one that is not over.
func nearest(of func(year int) Moment, now time.Time, prefer Prefer) Moment {
	today := dayOf(now)
	if prefer == Past {
		m := of(now.Year())
		if m.Wall.After(today) {
			m = of(now.Year() - 1)
		}
		return m
	}
	m := of(now.Year() - 1)
	for year := now.Year(); m.Last.Before(today); year++ {
		m = of(year)
	}
	if over := of(now.Year()); m.Wall.Year() > now.Year() && over.Last.Before(today) {
		m.Notes = append(m.Notes, Note{Choice: Over, At: m.Wall, Other: over.Wall})
	}
	return m
}

// seasonOf returns a season: of its year, or the nearest one. The last one is over, the next one has not begun.
func seasonOf(g []string, now time.Time, prefer Prefer) Moment {
	month := seasonMonths[g[2]+g[5]]
	of := func(year int) Moment {
		first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		return spanOf(first, first.AddDate(0, 3, -1))
	}
	year := yearIn(g[3]+g[4], now)
	switch {
	case year != 0 && month == 12:
		return of(year - 1) // the winter that most of the year has
	case year != 0:
		return of(year)
	}
	s := nearest(of, now, prefer)
	switch {
	case g[1] == "last " || g[1] == "past ":
		for s.Wall.After(dayOf(now)) || g[1] == "last " && !s.Last.Before(dayOf(now)) {
			s = of(s.Wall.Year() - 1)
		}
	case g[1] == "next ":
		if s.Notes = nil; !s.Wall.After(dayOf(now)) {
			s = of(s.Wall.Year() + 1)
		}
	}
	return s
}

// namedQuarter returns a quarter or a half of a year, the nearest one if the year is not named.
func namedQuarter(g []string, now time.Time, prefer Prefer) Moment {
	n, months := 0, 3
	for i, names := range []string{" first 1 一 上 ", " second 2 二 下 ", " third 3 三 ", " fourth 4 四 "} {
		if strings.Contains(names, " "+g[1]+g[6]+g[7]+" ") {
			n = i
		}
	}
	if g[2] == "half" || g[7] != "" {
		months = 6
	}
	of := func(year int) Moment {
		first := time.Date(year, time.Month(1+n*months), 1, 0, 0, 0, 0, time.UTC)
		return spanOf(first, first.AddDate(0, months, -1))
	}
	if year := yearIn(g[3]+g[4]+g[5], now); year != 0 {
		return of(year)
	}
	return nearest(of, now, prefer)
}

// yearEdge returns the beginning or the end of a month, ten days, or of a year, a month.
func yearEdge(g []string, now time.Time) Moment {
	atEnd := g[2] == "末" || g[3] == "end"
	if g[1] == "先月" || g[1] == "今月" || g[5] == "month" {
		m := monthOf(dayOf(now))
		if g[1] == "先月" || g[4] == "last" {
			m = monthOf(m.Wall.AddDate(0, 0, -1))
		}
		if atEnd {
			return spanOf(m.Last.AddDate(0, 0, -9), m.Last)
		}
		return spanOf(m.Wall, m.Wall.AddDate(0, 0, 9))
	}
	month := time.January
	if atEnd {
		month = time.December
	}
	return monthOf(time.Date(yearIn(g[1]+g[4], now), month, 1, 0, 0, 0, 0, time.UTC))
}

// pastDay reports whether a weekday alone in a text is one that is over: it tells of something, or says nothing of
// what is, will be or is done each week.
func pastDay(text string) bool {
	return Told(text) || present.Get().FindStringSubmatch(text) == nil
}

var present = lazyregexp.New(`(?i)\b(?:is|are|am|do|does|don't|will|won't|can|can't|should|shall|may|must|would|could|` +
	`has|have|when|if|every|each|next|never|always|open|closed|until|by)\b|毎|いつ|ある|あり|です|ます|する|できる|なら|来週|次|` +
	`曜日?は|曜日?も`)
