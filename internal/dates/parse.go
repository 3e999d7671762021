package dates

import (
	"strings"
	"time"

	"techo/internal/lazyregexp"
)

// scanner reads the parts of a text, in any order.
type scanner struct {
	in        cursor
	said      fields
	parts     int
	afterAt   bool // the last word was "at"
	filler    bool // the last word needs another one
	wantsTime bool // after 2026-01-05T
	afterName bool // the last part was the name of a day
}

// scan returns the parts of a normalized text. ok is false if a part was not
// understood or contradicts another one.
func scan(text string) (f fields, ok bool) {
	p := scanner{in: cursor{strings.Trim(text, " ,")}}
	ok = p.scan()
	return p.said, ok
}

// clockFirst matches a time in four digits before its day, 1530 tomorrow, unless it looks like a year.
var clockFirst = lazyregexp.New(`^((?:0\d|1[0-8]|2[2-3])\d{2}) ([a-z].*)$`)

func parse(text string, now time.Time, prefer Prefer) (m Moment, f fields, ok bool) {
	if day, ok := cutWeekOf(text); ok {
		return weekOf(day, now, prefer)
	}
	if f, ok = scan(text); !ok {
		g := clockFirst.Get().FindStringSubmatch(text)
		if g == nil {
			return m, f, false
		}
		if f, ok = scan(g[2] + " " + g[1]); !ok || !f.clock.set {
			return m, f, false
		}
	}
	p := resolver{said: f, now: now, wall: wallOf(now), today: dayOf(now), prefer: prefer, text: text}
	m, ok = p.resolve()
	return m, f, ok
}

// cutWeekOf cuts what names the week of a day: "the week of June 15", 6月15日の週.
func cutWeekOf(text string) (day string, ok bool) {
	if day, ok = strings.CutSuffix(text, "の週"); ok {
		return day, true
	}
	c := cursor{strings.TrimPrefix(text, "the ")}
	ok = c.take("week of", "week beginning", "week commencing", "week starting")
	return c.s, ok
}

// weekOf parses a day and returns its week.
func weekOf(text string, now time.Time, prefer Prefer) (m Moment, f fields, ok bool) {
	if _, nested := cutWeekOf(text); nested {
		return m, f, false
	}
	m, f, ok = parse(text, now, prefer)
	if !ok || m.Timed || m.Period || !m.Wall.Equal(m.Last) {
		return m, f, false
	}
	m.Wall = monday(m.Wall)
	m.Last, m.Period, m.Words = m.Wall.AddDate(0, 0, 6), true, true
	return m, f, true
}

// scan reports whether all of the text was understood and the parts fit together.
func (p *scanner) scan() bool {
	for ; p.in.s != "" && !p.said.bad; p.in.s = strings.TrimLeft(p.in.s, " ,") {
		if p.skipFiller() {
			continue
		}
		if p.weekAfter() {
			p.afterName = false
			continue
		}
		p.afterName = false
		if !p.parenthesized() && !p.numericDate() && !p.shift() && !p.timeText() && !p.era() && !p.word() &&
			!p.bareNumber() {
			return false
		}
		p.parts++
		p.afterAt, p.filler = false, false
	}
	timed := p.said.clock.set || p.said.part != 0 || p.said.sameTime
	if p.said.allDay && (timed || p.said.length != 0) || p.said.sameTime && (p.said.clock.set || p.said.part != 0) {
		return false
	}
	return !p.said.bad && !p.filler && !p.wantsTime && p.parts > 0 && p.said.fits()
}

// skipFiller skips a word without a meaning of its own.
func (p *scanner) skipFiller() bool {
	for _, w := range []string{"at", "@", "on", "of", "the", "in", "by", "from", "about", "around", "approximately",
		"approx", "starting", "no later than"} {
		before := p.in.s
		if !p.in.take(w) {
			continue
		}
		if w == "in" && (p.in.s == "" || digit(p.in.s[0]) || p.in.isAmountWord()) {
			p.in.s = before
			return false
		}
		rest := p.in.s
		p.in.s = before
		if _, size := p.in.findTerm(); size > len(w) { // "in the morning", "at night"
			return false
		}
		p.in.s, p.filler = rest, true
		p.afterAt = w == "at" || w == "@" || p.afterAt && strings.HasPrefix(w, "a")
		return true
	}
	for _, w := range []string{"all day", "終日", "一日中", "the whole day"} {
		if rest, ok := strings.CutPrefix(p.in.s, w); ok && (rest == "" || !letter(rest[0])) {
			p.in.s, p.said.allDay = rest, true
			return true
		}
	}
	for _, w := range []string{"this time", "same time", "the same time", "同じ時間", "同じ時刻", "同時刻"} {
		if p.in.take(w) {
			p.said.sameTime, p.said.words = true, true
			return true
		}
	}
	if p.parts > 0 && p.said.hasDay() && len(p.said.shifts) == 0 {
		if p.in.take("の前日", "前日", "のイブ") {
			p.said.addShifts([]amount{{n: 1, unit: dayUnit}}, -1)
			p.said.fromBase = true
			return true
		}
		if p.in.take("の翌日", "の次の日") {
			p.said.addShifts([]amount{{n: 1, unit: dayUnit}}, 1)
			p.said.fromBase = true
			return true
		}
	}
	for _, w := range []string{"の", "に", "頃", "ころ", "ごろ", "から", "まで", "ちょうど", "より",
		"過ぎ", "すぎ", "開始", "スタート", "sharp", "exactly", "or so", "-ish", "ish"} {
		if rest, ok := strings.CutPrefix(p.in.s, w); ok && p.parts > 0 {
			p.in.s = rest
			return true
		}
	}
	if p.in.s == "~" && p.said.clock.set { // 15:00〜
		p.in.s = ""
		return true
	}
	return false
}
