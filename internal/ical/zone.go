package ical

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/sorting"
)

// ErrZone reports a VTIMEZONE that has no usable observances.
var ErrZone = errors.New("time zone: not understood")

// maxOnsets is the largest number of clock changes of a zone.
const maxOnsets = 10_000

// Onset is one clock change of a zone.
type Onset struct {
	At       int64 // seconds since 1970-01-01 UTC
	From, To int   // offsets in seconds east of UTC
	Daylight bool
}

// Rules expands the recurrence rule of an observance into the local times of the
// clock changes, up to the year 2100. Callers pass package recur, because leaf
// packages do not import each other.
type Rules func(rule string, first time.Time, offset int) []time.Time

// Zone converts a VTIMEZONE to a time.Location.
func Zone(c *Component, rules Rules) (*time.Location, error) {
	var all []Onset
	for _, o := range c.Components {
		if o.Name != "STANDARD" && o.Name != "DAYLIGHT" {
			continue
		}
		if all = append(all, onsets(o, rules)...); len(all) > maxOnsets {
			return nil, ErrZone
		}
	}
	if len(all) == 0 {
		return nil, ErrZone
	}
	sorting.By(all, func(a, b Onset) int { return cmp.Compare(a.At, b.At) })
	name := "custom"
	if id := c.Property("TZID"); id != nil {
		name = strings.TrimSpace(id.Text())
	}
	return time.LoadLocationFromTZData(name, compile(all))
}

// onsets returns the clock changes of an observance.
func onsets(o *Component, rules Rules) []Onset {
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
			walls = append(walls, rules(p.Value, first.Wall, before)...)
		case "RDATE":
			for text := range strings.SplitSeq(p.Value, ",") {
				if t, err := ParseTime(text); err == nil {
					walls = append(walls, t.Wall)
				}
			}
		}
	}
	var all []Onset
	for _, w := range walls {
		all = append(all, Onset{w.Unix() - int64(before), before, after, o.Name == "DAYLIGHT"})
	}
	return all
}

// compile encodes the clock changes as TZif (RFC 8536), the format package time
// reads.
func compile(all []Onset) []byte {
	type kind struct {
		offset   int
		daylight bool
	}
	kinds := []kind{{all[0].From, false}}
	var times, which []byte
	n, last := 0, int64(0)
	for i, o := range all {
		if i > 0 && o.At == last {
			continue
		}
		k := kind{o.To, o.Daylight}
		at := slices.Index(kinds, k)
		if at < 0 {
			if len(kinds) > 200 {
				break
			}
			at = len(kinds)
			kinds = append(kinds, k)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(o.At))
		which = append(which, byte(at))
		n, last = n+1, o.At
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
// every clock change, because all readers understand that form.
func (w *Writer) WriteZone(id string, loc *time.Location, from, to time.Time) {
	w.Begin("VTIMEZONE")
	w.Text("TZID", id)
	type kind struct {
		from, to int
		name     string
		daylight bool
	}
	var kinds []kind
	walls := map[kind][]string{}
	at := from.In(loc)
	name, offset := at.Zone()
	first := kind{offset, offset, name, at.IsDST()}
	kinds = append(kinds, first)
	walls[first] = []string{at.Format("20060102T150405")}
	for range 1000 {
		_, next := at.ZoneBounds()
		if next.IsZero() || !next.After(at) || next.After(to) {
			break
		}
		n, o := next.Zone()
		k := kind{offset, o, n, next.IsDST()}
		if walls[k] == nil {
			kinds = append(kinds, k)
		}
		walls[k] = append(walls[k], next.UTC().Add(time.Duration(offset)*time.Second).Format("20060102T150405"))
		at, offset = next, o
	}
	for _, k := range kinds {
		part := "STANDARD"
		if k.daylight {
			part = "DAYLIGHT"
		}
		w.Begin(part)
		w.Line("DTSTART:" + walls[k][0])
		if len(walls[k]) > 1 {
			w.Line("RDATE:" + strings.Join(walls[k][1:], ","))
		}
		w.Line("TZOFFSETFROM:" + formOffset(k.from))
		w.Line("TZOFFSETTO:" + formOffset(k.to))
		w.Text("TZNAME", k.name)
		w.End(part)
	}
	w.End("VTIMEZONE")
}
