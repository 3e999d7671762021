package ical

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/internal/sorting"
)

// errZone reports a VTIMEZONE that has no usable observances.
var errZone = errors.New("time zone: not understood")

// maxOnsets is the largest number of clock changes of a zone.
const maxOnsets = 10_000

// onset is one clock change of a zone.
type onset struct {
	at       int64 // seconds since 1970-01-01 UTC
	from, to int   // offsets in seconds east of UTC
	daylight bool
}

// Zone converts a VTIMEZONE to a time.Location.
func Zone(c *Component) (*time.Location, error) {
	var all []onset
	for _, o := range c.Components {
		if o.Name != "STANDARD" && o.Name != "DAYLIGHT" {
			continue
		}
		if all = append(all, onsets(o)...); len(all) > maxOnsets {
			return nil, errZone
		}
	}
	if len(all) == 0 {
		return nil, errZone
	}
	sorting.By(all, func(a, b onset) int { return cmp.Compare(a.at, b.at) })
	name := "custom"
	if id := c.Property("TZID"); id != nil {
		name = strings.TrimSpace(id.Text())
	}
	return time.LoadLocationFromTZData(name, compile(all))
}

// onsets returns the clock changes of an observance.
func onsets(o *Component) []onset {
	start, from, to := o.Property("DTSTART"), o.Property("TZOFFSETFROM"), o.Property("TZOFFSETTO")
	if start == nil || to == nil {
		return nil
	}
	first, err := ParseTime(start.Value)
	after, err2 := parseOffset(to.Value)
	before := after
	if from != nil {
		if n, err := parseOffset(from.Value); err == nil {
			before = n
		}
	}
	if err != nil || err2 != nil {
		return nil
	}
	walls := []time.Time{first.Wall}
	for _, p := range o.Properties {
		switch p.Name {
		case "RRULE":
			walls = append(walls, wallsOf(p.Value, first.Wall, before)...)
		case "RDATE":
			for text := range strings.SplitSeq(p.Value, ",") {
				if t, err := ParseTime(text); err == nil {
					walls = append(walls, t.Wall)
				}
			}
		}
	}
	var all []onset
	for _, w := range walls {
		all = append(all, onset{w.Unix() - int64(before), before, after, o.Name == "DAYLIGHT"})
	}
	return all
}

// wallsOf returns the local times of the clock changes that follow the recurrence rule of an observance, up to the year
// 2100.
func wallsOf(text string, first time.Time, offset int) (walls []time.Time) {
	rule, err := recur.Parse(text)
	if err != nil || rule.Freq > recur.Monthly {
		return nil
	}
	until := rule.Until
	if rule.Form == recur.UntilUTC && !until.IsZero() {
		until = until.Add(time.Duration(offset) * time.Second)
	}
	recur.New(rule, first, false, until).Walk(first, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		func(w time.Time) bool {
			walls = append(walls, w)
			return len(walls) < 2000
		})
	return walls
}

// compile encodes the clock changes as TZif (RFC 8536), the format package time
// reads.
func compile(all []onset) []byte {
	type kind struct {
		offset   int
		daylight bool
	}
	kinds := []kind{{all[0].from, false}}
	var times, which []byte
	n, last := 0, int64(0)
	for i, o := range all {
		if i > 0 && o.at == last {
			continue
		}
		k := kind{o.to, o.daylight}
		at := slices.Index(kinds, k)
		if at < 0 {
			if len(kinds) > 200 {
				break
			}
			at = len(kinds)
			kinds = append(kinds, k)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(o.at))
		which = append(which, byte(at))
		n, last = n+1, o.at
	}
	header := func(counts ...int) []byte {
		b := append([]byte("TZif2"), make([]byte, 15)...)
		for _, c := range counts {
			b = binary.BigEndian.AppendUint32(b, uint32(c))
		}
		return b
	}
	b := append(header(0, 0, 0, 0, 0, 0), header(0, 0, 0, n, len(kinds), 1)...)
	b = append(append(b, times...), which...)
	for _, k := range kinds {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(k.offset)))
		b = append(b, byte(map[bool]int{true: 1}[k.daylight]), 0)
	}
	return append(b, 0, '\n', '\n')
}

// WriteZone writes a VTIMEZONE that is valid from one time to another. It lists
// every clock change, because all readers understand that form. If it is endless, the changes after
// that follow by rules, if the zone has any.
func (w *Writer) WriteZone(id string, loc *time.Location, from, to time.Time, endless bool) {
	w.Begin("VTIMEZONE")
	w.Text("TZID", id)
	var kinds []observance
	walls := map[observance][]time.Time{}
	at := from.In(loc)
	name, offset := at.Zone()
	first := observance{offset, offset, name, at.IsDST()}
	kinds = append(kinds, first)
	walls[first] = []time.Time{at}
	until := to
	rules, changes := map[observance]string{}, []change(nil)
	if endless {
		if changes = changesBetween(loc, to, to.AddDate(28, 0, 0)); len(changes) > 0 {
			if rules = yearlyRules(changes); rules == nil {
				until = to.AddDate(maxListed, 0, 0)
			}
		}
	}
	for _, c := range changesBetween(loc, at, until) {
		if walls[c.observance] == nil {
			kinds = append(kinds, c.observance)
		}
		walls[c.observance] = append(walls[c.observance], c.wall)
	}
	for _, k := range kinds {
		w.observance(k, walls[k], "")
	}
	for _, c := range changes {
		if rule := rules[c.observance]; rule != "" {
			w.observance(c.observance, []time.Time{c.wall}, rule)
			delete(rules, c.observance)
		}
	}
	w.End("VTIMEZONE")
}

// maxListed is the number of years for which a zone whose clocks change by no rule of the calendar lists
// its changes: those of Morocco follow Ramadan, and are known until 2087.
const maxListed = 60

// observance is a kind of clock change.
type observance struct {
	from, to int // offsets in seconds east of UTC
	name     string
	daylight bool
}

// change is a clock change at a local time, by the clock before it.
type change struct {
	observance
	wall time.Time
}

// changesBetween returns the clock changes of a zone from one time to another.
func changesBetween(loc *time.Location, from, to time.Time) (all []change) {
	at := from.In(loc)
	_, offset := at.Zone()
	for range 1000 {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.After(to) {
			break
		}
		if !next.After(at) { // golang/go#81583: the last day of some leap years after 2037
			at = at.Add(time.Hour)
			continue
		}
		before, _ := at.Zone()
		n, o := next.Zone()
		if n != before || o != offset || next.IsDST() != at.IsDST() { // periods also end with a year
			wall := next.UTC().Add(time.Duration(offset) * time.Second)
			all = append(all, change{observance{offset, o, n, next.IsDST()}, wall})
		}
		at, offset = next, o
	}
	return all
}

// yearlyRules returns the rules that clock changes of 28 years follow, which have every kind of year, or
// nil if there are none.
func yearlyRules(all []change) map[observance]string {
	byKind := map[observance][]time.Time{}
	for _, c := range all {
		byKind[c.observance] = append(byKind[c.observance], c.wall)
	}
	rules := map[observance]string{}
	for k, walls := range byKind {
		first, last, fromEnd := 31, 1, 0
		for i, w := range walls {
			if w.Month() != walls[0].Month() || w.Weekday() != walls[0].Weekday() || w.Year() != walls[0].Year()+i ||
				w.Format(time.TimeOnly) != walls[0].Format(time.TimeOnly) {
				return nil
			}
			first, last = min(first, w.Day()), max(last, w.Day())
			if end := w.AddDate(0, 0, 7); end.Month() == w.Month() {
				fromEnd++
			}
		}
		day := strings.ToUpper(walls[0].Weekday().String()[:2])
		rule := "FREQ=YEARLY;BYMONTH=" + strconv.Itoa(int(walls[0].Month())) + ";BYDAY="
		switch {
		case fromEnd == 0:
			rule += "-1" + day
		case last-first != 6:
			return nil
		case first%7 == 1:
			rule += strconv.Itoa(first/7+1) + day
		default:
			rule += day + ";BYMONTHDAY="
			for d := first; d <= last; d++ {
				rule += strconv.Itoa(d) + map[bool]string{true: ","}[d < last]
			}
		}
		rules[k] = rule
	}
	return rules
}

// observance writes the clock changes of one kind, at local times, the last of which may repeat by a
// rule.
func (w *Writer) observance(k observance, walls []time.Time, rule string) {
	const form = "20060102T150405"
	part := "STANDARD"
	if k.daylight {
		part = "DAYLIGHT"
	}
	w.Begin(part)
	w.Line("DTSTART:" + walls[0].Format(form))
	if len(walls) > 1 {
		var more []string
		for _, wall := range walls[1:] {
			more = append(more, wall.Format(form))
		}
		w.Line("RDATE:" + strings.Join(more, ","))
	}
	if rule != "" {
		w.Line("RRULE:" + rule)
	}
	w.Line("TZOFFSETFROM:" + formOffset(k.from))
	w.Line("TZOFFSETTO:" + formOffset(k.to))
	w.Text("TZNAME", k.name)
	w.End(part)
}
