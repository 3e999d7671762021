package dates

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/lazyregexp"
)

// separators stand between the start and the end of a range.
func separators(between bool) []string {
	all := []string{" to ", " until ", " till ", " til ", " through ", " thru ", "から", "より", "~", "..", " - ", "-", "/"}
	if between {
		all = append(all, " and ")
	}
	return all
}

// parseRange parses the start and the end of a range: 3pm to 5pm, 6月5日〜7日.
func parseRange(s string, now time.Time, prefer Prefer) (m Moment, ok bool) {
	if m, ok := (&sides{now: now, prefer: prefer}).fromHours(s); ok {
		return m, true
	}
	if m, ok := hourRange(s, now, prefer); ok {
		return m, true
	}
	s = strings.TrimRight(s, " ,")
	between := strings.Contains(s, "between ")
	s = strings.Replace(s, "between ", "", 1)
	s = strings.TrimPrefix(s, "from ")
	r := sides{now: now, prefer: prefer}
	for _, r.separator = range separators(between) {
		for from := 0; ; {
			i := strings.Index(s[from:], r.separator)
			if i < 0 {
				break
			}
			from += i + len(r.separator)
			left, right := s[:from-len(r.separator)], strings.TrimSuffix(s[from:], "まで")
			if m, ok = r.join(strings.TrimSpace(left), strings.TrimSpace(right)); ok {
				return m, true
			}
		}
	}
	return m, false
}

const (
	hourToHour = `(\d{1,2})(:\d{2})?(?: ?[-~] ?| (?:to|until|till) )(\d{1,2})(:\d{2})?`
	aDayAndAt  = `^(|.* (?:at |from )?|.*[^\x00-\x7f])`
)

var (
	hourSpan   = lazyregexp.New(aDayAndAt + hourToHour + `(時半?)?$`)
	spanAndDay = lazyregexp.New(`^` + hourToHour + `,? (on )?([a-z].*)$`)
)

// hourRange parses two hours of the clock behind a day, or alone if they cannot be a month and a
// day: tomorrow 9-11, fri 14-16, 14-16, 金曜9-11時, 9-10:30 tomorrow.
func hourRange(s string, now time.Time, prefer Prefer) (m Moment, ok bool) {
	if g := spanAndDay.Get().FindStringSubmatch(s); g != nil && (g[5] != "" || !monthFollows(g[6])) {
		s = g[6] + " " + g[1] + g[2] + "-" + g[3] + g[4]
	}
	g := hourSpan.Get().FindStringSubmatch(s)
	if g == nil {
		return m, false
	}
	from, _ := strconv.Atoi(g[2])
	to, _ := strconv.Atoi(g[4])
	sure := g[3]+g[5]+g[6] != "" || from > 12
	minutes, _ := strconv.Atoi(strings.TrimPrefix(g[5], ":"))
	if g[6] == "時半" {
		minutes = 30
	}
	m, f, ok := parse(g[1]+g[2]+cmp.Or(g[3], ":00"), now, prefer)
	end := dayOf(m.Wall).Add(time.Duration(to)*time.Hour + time.Duration(minutes)*time.Minute)
	late := false
	switch day := f.weekday != nil || f.day != 0 || f.dayShift != nil; {
	case day && from >= 17 && to <= 10: // fri 22-6
		end = end.AddDate(0, 0, 1)
	case day && from >= 8 && from <= 12 && to < from && to <= 7: // fri 9-5
		end, late = end.Add(12*time.Hour), true
	}
	if !ok || !m.Wall.Before(end) || to*60+minutes > 24*60 || minutes > 59 || m.Offset || m.Period || m.Length != 0 ||
		f.month != 0 && f.day == 0 && f.weekday == nil { // june 20-22 are days
		return m, false
	}
	dated := f.day != 0 || f.dayShift != nil || f.feast != 0
	switch {
	case sure:
	case !dated && f.weekday == nil: // 9-11 may be 11 September
		return m, false
	case from <= 7: // 2-4, as at 2
		return (&sides{now: now, prefer: prefer}).fromHours(g[1] + " from " + g[2] + " to " + g[4])
	case !dated || late:
		m.Notes = append(m.Notes, Note{Choice: ReadAs, Text: g[2] + "-" + g[4], At: m.Wall, Timed: true})
	}
	return withEnd(m, Moment{Wall: end, Last: dayOf(end), Timed: true}), true
}

// sides parses the two sides of a range.
type sides struct {
	now       time.Time
	prefer    Prefer
	separator string
}

// read parses one side, as if it were now.
func (r *sides) read(text string, now time.Time) (m Moment, f fields, ok bool) {
	if t, ok := instant(text); ok {
		return Moment{Wall: wallOf(t), Last: dayOf(t), Instant: t, Timed: true, Offset: true}, fields{full: true}, true
	}
	m, f, ok = parse(text, now, r.prefer)
	return m, f, ok && m.Length == 0
}

// cutNextDay cuts the words off an end that is on the next day: 22時から翌1時.
func cutNextDay(end string) (rest string, next bool) {
	for _, word := range []string{"翌日の", "翌日", "翌朝の", "翌朝", "翌"} {
		if rest, ok := strings.CutPrefix(end, word); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return end, false
}

// join parses both sides. Each may have what the other one lacks: a day, a month, a
// year, am or pm.
func (r *sides) join(left, right string) (m Moment, ok bool) {
	if m := dayOnly.Get().FindStringSubmatch(right); m != nil {
		return r.joinDays(left, m[1], m[2])
	}
	start, p, ok := r.read(left, r.now)
	if !ok {
		if left, ok = borrow(left, right); !ok {
			return m, false
		}
		if start, p, ok = r.read(left, r.now); !ok {
			return m, false
		}
	}
	if r.separator == "/" && !p.full {
		return m, false
	}
	if clock, next := cutNextDay(right); start.Timed {
		c, ok := r.endClock(clock, start, p)
		if ok && next && dayOf(c.Wall).Equal(dayOf(start.Wall)) {
			c.Wall, c.Last = c.Wall.AddDate(0, 0, 1), c.Last.AddDate(0, 0, 1)
		}
		if ok {
			return withEnd(start, c), true
		}
	}
	if m := hourAndDay.Get().FindStringSubmatch(right); m != nil && start.Timed && !p.hasDay() && !monthFollows(m[2]) {
		return r.joinDay(left, m[1], m[2])
	}
	end, q, ok := r.readEnd(right, start)
	if !ok || end.Timed != start.Timed || end.Period != start.Period || r.separator == "/" && !q.full {
		return m, false
	}
	if start.Timed && !p.hasDay() && q.hasDay() && !start.Offset && !end.Offset { // "3pm to 5pm tomorrow"
		if !digit(right[0]) && !q.clock.named { // moved from 3pm to mon 4pm
			return m, false
		}
		start.Wall = dayOf(end.Wall).Add(start.Wall.Sub(dayOf(start.Wall)))
		start.Last, start.relative = dayOf(start.Wall), end.relative
		start.Notes = slices.DeleteFunc(start.Notes, func(n Note) bool { return n.Choice == Over })
	}
	start.Notes = append(start.Notes, end.Notes...)
	if start.Timed {
		return withEnd(start, end), !end.Wall.Before(start.Wall) || end.Offset
	}
	start.Last, start.Words = end.Last, true
	return start, !end.Last.Before(start.Wall)
}

// readEnd reads the end of a range. A day that is not relative to today is the first
// such day from the start on.
func (r *sides) readEnd(text string, start Moment) (m Moment, f fields, ok bool) {
	m, f, ok = r.read(text, r.now)
	if !ok || start.Offset || f.isRelative() || len(f.shifts) > 0 || f.now {
		return m, f, ok
	}
	y, month, d := start.Wall.Date()
	return (&sides{prefer: Future}).read(text, time.Date(y, month, d, 0, 0, 0, 0, r.now.Location()))
}

// ParseEnd parses the last day of a range that begins on a day. A day that is not
// relative to today is the first such day from the start on.
func ParseEnd(text string, start, now time.Time) (m Moment, ok bool) {
	m, ok = Parse(text, now, Future)
	if !ok || m.Timed {
		return m, ok
	}
	r := sides{now: now}
	if end, _, ok := r.readEnd(normalize(text), Moment{Wall: start}); ok {
		m = end
	}
	return m, m.inRange()
}

func withEnd(start, end Moment) Moment {
	start.End, start.Words = &end, true
	return start
}

// endClock parses a time of day, on the day of the start or the day after it. If the
// start says the half of the day, an hour without one is the next such hour: "10am to 2",
// 午後3時から5時.
func (r *sides) endClock(right string, start Moment, said fields) (Moment, bool) {
	if said.clock.dotted { // 14.30-16.00
		right = strings.Replace(right, ".", ":", 1)
	}
	halves := said.clock.meridiem != 0 || said.part != 0 // the start says the half of the day
	c, ok := Clock(right)
	if _, err := strconv.Atoi(right); err == nil && !ok {
		switch day := dayOf(start.Wall); {
		case halves:
			c, ok = Clock(right + ":00")
		case start.Wall.Hour() >= 12:
			c, ok = Clock(right + "pm")
			ok = ok && day.Add(c).After(start.Wall)
		}
	}
	if !ok || start.Offset {
		return Moment{}, false
	}
	at := dayOf(start.Wall).Add(c)
	f, _ := scan(right)
	twelve := halves && f.clock.meridiem == 0 && f.part == 0
	twelve = twelve && !f.clock.named && c > 0 && c <= 12*time.Hour
	if later := at.Add(12 * time.Hour); twelve && !at.After(start.Wall) && later.After(start.Wall) {
		at = later
	}
	if !at.After(start.Wall) {
		at = at.AddDate(0, 0, 1)
	}
	return Moment{Wall: at, Last: dayOf(at), Timed: true}, true
}

var (
	dayOnly   = lazyregexp.New(`^(?:(\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$)`)
	dayOfName = lazyregexp.New(`^(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?([a-z].*)$)`)
	anyHalf   = lazyregexp.New(`^(?:.*?\d ?([ap])\.?m\b)`)
)

// joinDays parses "june 5" and "7", of the same month.
func (r *sides) joinDays(left, day, year string) (m Moment, ok bool) {
	if year != "" {
		left += " " + year
	}
	m, p, ok := r.read(left, r.now)
	n, err := strconv.Atoi(day)
	if m.Timed && ok && year == "" {
		c, ok := r.endClock(day, m, p)
		return withEnd(m, c), ok && r.separator != "/"
	}
	if !ok || err != nil || m.Timed || p.day == 0 || r.separator == "/" || n <= p.day || n > lastDay(m.Wall) {
		return m, false
	}
	m.Last, m.Period, m.Words = m.Wall.AddDate(0, 0, n-p.day), false, true
	return m, true
}

// joinDay parses "3pm" and "5 tomorrow".
func (r *sides) joinDay(left, hour, day string) (m Moment, ok bool) {
	if m, _, ok = r.read(day, r.now); !ok || m.Timed || r.separator == "/" {
		return m, false
	}
	return r.join(left+" "+day, hour)
}

// fromHours parses two hours that only "from" or "between" shows to be hours: from 3 to
// 5 tomorrow. The end is the next such hour behind the start.
func (r *sides) fromHours(s string) (m Moment, ok bool) {
	g := fromForm.Get().FindStringSubmatch(s)
	if g == nil || monthFollows(g[4]) || strings.Contains(g[2], ":") && strings.Contains(g[3], ":") {
		return m, false
	}
	m, f, ok := r.read(g[1]+" at "+g[2]+" "+g[4], r.now)
	from, _ := hourMinute(g[2])
	to, valid := hourMinute(g[3])
	if !valid { // half past four
		to, valid = Clock(g[3])
		to %= 12 * time.Hour
	}
	if !ok || !valid || !m.Timed || m.Offset || m.Length != 0 || len(f.shifts) > 0 || from == 0 || from == to {
		return m, false
	}
	day := dayOf(m.Wall)
	if f.part != 0 && partTime(f.part) >= partTime(night) && m.Wall.Hour() < 12 { // after midnight
		day = day.AddDate(0, 0, -1)
	}
	ends := []time.Duration{to}
	if half := 12 * time.Hour; from < half+time.Hour && to <= half {
		if ends = append(ends, to+half); f.part == night {
			ends = append(ends, to+2*half)
		}
	}
	for _, end := range ends {
		if at := day.Add(end); at.After(m.Wall) {
			return withEnd(m, Moment{Wall: at, Last: dayOf(at), Timed: true}), true
		}
	}
	return m, false
}

// hourMinute parses 9, 9.30, 9:30, noon and midnight, which is the end of the day.
func hourMinute(s string) (time.Duration, bool) {
	switch s {
	case "noon":
		return 12 * time.Hour, true
	case "midnight":
		return 24 * time.Hour, true
	}
	hour, minute, _ := strings.Cut(strings.Replace(s, ".", ":", 1), ":")
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	return d, d > 0 && d <= 24*time.Hour && m < 60
}

var (
	fromForm = lazyregexp.New(`^(.*?)\b(?:from|between) (\d{1,2}(?:[.:]\d{2})?)(?:-| - | (?:to|until|till|and) )` +
		`(\d{1,2}(?:[.:]\d{2})?|noon|midnight|[a-z0-9 ]+ (?:past|to) [a-z0-9]+)(?: o'clock)?(?:[ ,]+(.*))?$`)
	hourAndDay = lazyregexp.New(`^(\d{1,2}) (\D.*)$`)
)

// borrow adds to the left side what only the right one says: the month of "5-7
// june", the half of the day of "3-5pm".
func borrow(left, right string) (string, bool) {
	if left == "" || !digit(left[len(left)-1]) {
		return left, false
	}
	if m := dayOfName.Get().FindStringSubmatch(right); m != nil {
		return left + " " + m[1], true
	}
	m := anyHalf.Get().FindStringSubmatch(right)
	if m == nil {
		return left, false
	}
	i := strings.LastIndexByte(left, ' ') + 1
	end, ok := Clock(right)
	start, ok2 := Clock(left[i:] + m[1] + "m")
	if ok && ok2 && start >= end { // 11-1pm
		return left + map[string]string{"a": "pm", "p": "am"}[m[1]], true
	}
	return left + m[1] + "m", true
}
