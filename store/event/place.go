package event

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"techo/internal/ical"
	"techo/internal/recur"
	"techo/internal/zone"
)

// Levels is the number of levels: level n holds lengths of up to 4^n quarters
// of an hour, the last one series without end.
const Levels = 14

// maxLength returns the greatest length on a level, in seconds.
func maxLength(level int) int64 { return 15 * 60 << (2 * level) }

// levelOf returns the level of an event or a series.
func levelOf(from, to int64) int {
	for l := range Levels - 1 {
		if to-from <= maxLength(l) {
			return l
		}
	}
	return Levels - 1
}

// forever is the end of a series without end, in seconds since 1970.
const forever = math.MaxInt64 / 4

// maxUTCOffset is the largest difference between a local time and UTC, in seconds.
const maxUTCOffset = 15 * 3600

// placeOf returns the place of an event within its calendar, and the filter of a series.
func (t *Tx) placeOf(e *Event) (Place, *recur.Filter) {
	p := Place{}
	from, to := e.Span(e.Start, t.Location(e, time.UTC))
	p.From, p.to = from.Unix(), max(to.Unix(), from.Unix())
	if e.Form != Timed {
		p.From -= maxUTCOffset
		p.to += maxUTCOffset
	}
	var filter *recur.Filter
	if e.Recurs() {
		p.Series = true
		x := t.Expander(e, t.Location(e, time.UTC))
		p.From, p.to, filter = x.bounds(p.From, p.to)
	}
	p.Level = levelOf(p.From, p.to)
	return p, filter
}

// seriesFilter is the index entry of a series, which spares most queries its
// record: end, range of UTC offsets, length of an occurrence, and a filter.
type seriesFilter struct {
	to          int64
	least, most int64 // offsets from UTC, in seconds
	length      int64
	filter      recur.Filter
	unfiltered  bool
}

func (s *seriesFilter) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(s.to))
	b = binary.BigEndian.AppendUint32(b, uint32(int32(s.least)))
	b = binary.BigEndian.AppendUint32(b, uint32(int32(s.most)))
	b = binary.BigEndian.AppendUint64(b, uint64(s.length))
	if s.unfiltered {
		return b
	}
	return s.filter.Append(b)
}

var errFilter = errors.New("event index: entry too short")

func ReadSeriesFilter(b []byte) (s seriesFilter, err error) {
	if len(b) < 24 {
		return s, errFilter
	}
	s.to = int64(binary.BigEndian.Uint64(b))
	s.least, s.most = int64(int32(binary.BigEndian.Uint32(b[8:]))), int64(int32(binary.BigEndian.Uint32(b[12:])))
	s.length = int64(binary.BigEndian.Uint64(b[16:]))
	if s.unfiltered = len(b) < 24+recur.FilterBytes; !s.unfiltered {
		s.filter = recur.ReadFilter(b[24:])
	}
	return s, nil
}

// may reports whether the series can have an occurrence in a window.
func (s *seriesFilter) may(from, to int64) bool {
	return s.to > from-1 && (s.unfiltered || s.filter.May(from+s.least-s.length, to+s.most+1))
}

// Location returns the zone of an event; loc is the reader's zone.
func (t *Tx) Location(e *Event, loc *time.Location) *time.Location {
	if e.Form != Timed {
		return loc
	}
	key := e.Zone + "\x00" + e.ZoneRules
	if l, ok := t.zones[key]; ok {
		return l
	}
	l, ok := (*time.Location)(nil), false
	if e.ZoneRules != "" {
		l, ok = CustomZone(e.ZoneRules)
	}
	if !ok {
		l, ok = zone.Find(e.Zone)
	}
	if !ok {
		l = time.UTC
	}
	t.zones[key] = l
	return l
}

// CustomZone returns the time zone that a VTIMEZONE defines.
func CustomZone(rules string) (*time.Location, bool) {
	roots, _ := ical.Parse([]byte(rules))
	if len(roots) != 1 || roots[0].Name != "VTIMEZONE" {
		return nil, false
	}
	loc, err := ical.Zone(roots[0])
	return loc, err == nil
}
