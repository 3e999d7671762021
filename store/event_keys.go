package store

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/recur"
	"techo/internal/zone"
)

// etag stands for a record as it is.
func etag(record []byte) string {
	digest := sha256.Sum256(record)
	return shortID(digest[:], 10)
}

// shortID writes the first bytes of a digest in so many letters and digits,
// those that Google takes for an id.
func shortID(digest []byte, n int) string {
	return strings.ToLower(base32.HexEncoding.EncodeToString(digest[:20]))[:n]
}

// The keys of events. A calendar's name is preceded by its length.

func inCalendar(space, calendar string) []byte {
	return append(binary.AppendUvarint([]byte(space), uint64(len(calendar))), calendar...)
}

func eventKey(id string) []byte      { return append([]byte("ce"), id...) }
func calendarKey(name string) []byte { return append([]byte("cc"), name...) }

func groupKey(group, id string) []byte {
	return append(append(append([]byte("ch"), group...), 0), id...)
}

// uidKey is where the event, or the one that stands for an occurrence of it,
// is found by its UID. A UID that is too long for a key is hashed.
func uidKey(calendar, uid, recurrenceID string) []byte {
	if len(uid) > 400 {
		digest := sha256.Sum256([]byte(uid))
		uid = "\x01" + shortID(digest[:], 32)
	}
	return append(append(append(inCalendar("cu", calendar), uid...), 0), recurrenceID...)
}

// place is where an event lies in its calendar: what the index is sorted by.
type place struct {
	Calendar string `json:"calendar"`
	Series   bool   `json:"series,omitempty"`
	Level    int    `json:"level"`
	From     int64  `json:"from"` // seconds since 1970
	to       int64  // not part of the key
}

// levels are the lengths that events are sorted by: level n holds those of at
// most 4^n quarters of an hour, the last one those without end.
const levels = 14

// longest is the greatest length of a level, in seconds.
func longest(level int) int64 { return 15 * 60 << (2 * level) }

func levelOf(from, to int64) int {
	for l := range levels - 1 {
		if to-from <= longest(l) {
			return l
		}
	}
	return levels - 1
}

// forever is the end of a series that has none.
const forever = math.MaxInt64 / 4

func (p *place) key(space, id string) []byte {
	b := append(inCalendar(space, p.Calendar), byte(p.Level))
	b = binary.BigEndian.AppendUint64(b, uint64(p.From)^1<<63)
	return append(b, id...)
}

// cutPlace reads what stands behind the calendar in a key.
func cutPlace(key []byte, prefix int) (level int, from int64, id string) {
	rest := key[prefix:]
	return int(rest[0]), int64(binary.BigEndian.Uint64(rest[1:]) ^ 1<<63), string(rest[9:])
}

// reach is how far the day of a place on Earth may lie from that of UTC.
const reach = 15 * 3600

// placeOf is where an event belongs.
func (t *events) placeOf(e *Event) (place, *recur.Filter) {
	p := place{Calendar: e.Calendar}
	from, to := e.Span(e.Start, t.location(e, time.UTC))
	p.From, p.to = from.Unix(), max(to.Unix(), from.Unix())
	if e.Form != Timed {
		p.From -= reach
		p.to += reach
	}
	var filter *recur.Filter
	if e.Recurs() {
		p.Series = true
		x := t.expander(e, t.location(e, time.UTC))
		p.From, p.to, filter = x.bounds(p.From, p.to)
	}
	p.Level = levelOf(p.From, p.to)
	return p, filter
}

// seriesEntry is what the index holds of a series: its end, how far its clocks
// are from UTC, how long an occurrence lasts, and a filter.
type seriesEntry struct {
	to           int64
	least, most  int64 // seconds ahead of UTC
	length       int64
	filter       recur.Filter
	alwaysLooked bool
}

func (s *seriesEntry) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(s.to))
	b = binary.BigEndian.AppendUint32(b, uint32(int32(s.least)))
	b = binary.BigEndian.AppendUint32(b, uint32(int32(s.most)))
	b = binary.BigEndian.AppendUint64(b, uint64(s.length))
	if s.alwaysLooked {
		return b
	}
	return s.filter.Append(b)
}

var errEntry = errors.New("event index: entry too short")

func readSeriesEntry(b []byte) (s seriesEntry, err error) {
	if len(b) < 24 {
		return s, errEntry
	}
	s.to = int64(binary.BigEndian.Uint64(b))
	s.least, s.most = int64(int32(binary.BigEndian.Uint32(b[8:]))), int64(int32(binary.BigEndian.Uint32(b[12:])))
	s.length = int64(binary.BigEndian.Uint64(b[16:]))
	if s.alwaysLooked = len(b) < 24+recur.FilterBytes; !s.alwaysLooked {
		s.filter = recur.ReadFilter(b[24:])
	}
	return s, nil
}

// may reports whether the series may have an occurrence in a window.
func (s *seriesEntry) may(from, to int64) bool {
	return s.to > from-1 && (s.alwaysLooked || s.filter.May(from+s.least-s.length, to+s.most+1))
}

// location is the zone of an event's clocks; loc is where one is.
func (t *events) location(e *Event, loc *time.Location) *time.Location {
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

// CustomZone makes a zone of a VTIMEZONE.
func CustomZone(rules string) (*time.Location, bool) {
	roots, _ := ical.Parse([]byte(rules))
	if len(roots) != 1 || roots[0].Name != "VTIMEZONE" {
		return nil, false
	}
	loc, err := ical.Zone(roots[0], zoneOnsets)
	return loc, err == nil
}

// zoneOnsets expands the rule of a VTIMEZONE's observance.
func zoneOnsets(text string, first time.Time, offset int) (walls []time.Time) {
	rule, err := recur.Parse(text)
	if err != nil || rule.Freq > recur.Monthly {
		return nil
	}
	until := rule.Until
	if rule.Form == recur.UntilUTC && !until.IsZero() {
		until = until.Add(time.Duration(offset) * time.Second)
	}
	recur.New(rule, first, false, until).Walk(first, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), func(w time.Time) bool {
		walls = append(walls, w)
		return len(walls) < 2000
	})
	return walls
}
