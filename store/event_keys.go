package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// The prefixes of the keys of calendars and events.
const (
	calendarRecords space = "cc"
	calendarNames   space = "cn"
	singleRecords   space = "ci"
	seriesRecords   space = "cb"
	seriesFilters   space = "cm"
	eventPlaces     space = "ce"
	eventUIDs       space = "cu"
	eventGroups     space = "ch"
	mirrorObjects   space = "cr"
)

func calendarKey(calendar string) []byte { return calendarRecords.key(calendar) }

func calendarNameKey(name string) []byte { return calendarNames.key(name) }

func eventKey(id string) []byte { return eventPlaces.key(id) }

// groupKey is the key of an event in a group; with id "" it is the prefix of
// the group.
func groupKey(group, id string) []byte { return eventGroups.key(group + "\x00" + id) }

// cutGroup returns the id in a key of groupKey.
func cutGroup(key []byte) (id string, ok bool) {
	_, tail, ok := bytes.Cut(rest(key), []byte{0})
	return string(tail), ok
}

// maxUID is the longest UID that is part of a key as it is, in bytes. A longer
// one is hashed.
const maxUID = 400

// uidKey is the key of an event by its UID. An event that replaces an
// occurrence of a series has the series' UID and a recurrence id.
func uidKey(calendar, uid, recurrenceID string) []byte {
	return ofUID(eventUIDs, calendar, uid, recurrenceID)
}

// ofUID begins a key with a calendar and a UID, and ends it with a recurrence id.
func ofUID(s space, calendar, uid, recurrenceID string) []byte {
	if len(uid) > maxUID {
		digest := sha256.Sum256([]byte(uid))
		uid = "\x01" + shortID(digest[:], 32)
	}
	return append(append(append(s.named(calendar), uid...), 0), recurrenceID...)
}

// place is the position of an event in its calendar, by which events sort.
type place struct {
	Calendar string `json:"calendar"` // its key
	Series   bool   `json:"series,omitempty"`
	Level    int    `json:"level"`
	From     int64  `json:"from"` // seconds since 1970
	to       int64  // likewise; not part of the key
}

func (p *place) key(s space, id string) []byte {
	b := append(s.named(p.Calendar), byte(p.Level))
	b = binary.BigEndian.AppendUint64(b, uint64(p.From)^1<<63)
	return append(b, id...)
}

// records returns the space of the event's record.
func (p *place) records() space {
	if p.Series {
		return seriesRecords
	}
	return singleRecords
}

// cutPlace reads a key of place.key; ok is false for a key that is too short.
func cutPlace(key []byte) (p place, id string, ok bool) {
	name, tail, ok := cutNamed(key)
	if !ok || len(tail) < 1 {
		return p, "", false
	}
	start, event, ok := cutStart(tail[1:])
	p = place{Calendar: name, Series: spaceOf(key) == seriesRecords, Level: int(tail[0]), From: start}
	return p, string(event), ok
}

// cutStart reads what follows the calendar and the level in a key of place.key; ok is
// false if that is too short.
func cutStart(tail []byte) (start int64, id []byte, ok bool) {
	if len(tail) < 8 {
		return 0, nil, false
	}
	return int64(binary.BigEndian.Uint64(tail) ^ 1<<63), tail[8:], true
}
