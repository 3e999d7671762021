package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"techo/store/ledger"
)

// The prefixes of the keys of calendars and events.
const (
	Calendars     ledger.Prefix = "cc"
	CalendarNames ledger.Prefix = "cn"
	SingleRecords ledger.Prefix = "ci"
	SeriesRecords ledger.Prefix = "cb"
	SeriesFilters ledger.Prefix = "cm"
	Places        ledger.Prefix = "ce"
	UIDs          ledger.Prefix = "cu"
	Groups        ledger.Prefix = "ch"
	MirrorObjects ledger.Prefix = "cr"
)

// CalendarKey returns the key of the record of a calendar, whose key is given.
func CalendarKey(calendar string) []byte { return Calendars.Key(calendar) }

func CalendarNameKey(name string) []byte { return CalendarNames.Key(name) }

// Key returns the key of a record.
func Key(id string) []byte { return Places.Key(id) }

// GroupKey is the key of an event in a group; with id "" it is the prefix of
// the group.
func GroupKey(group, id string) []byte { return Groups.Key(group + "\x00" + id) }

// CutGroup returns the id in a key of groupKey.
func CutGroup(key []byte) (id string, ok bool) {
	_, tail, ok := bytes.Cut(ledger.Rest(key), []byte{0})
	return string(tail), ok
}

// maxUID is the longest UID that is part of a key as it is, in bytes. A longer
// one is hashed.
const maxUID = 400

// UIDKey is the key of an event by its UID. An event that replaces an
// occurrence of a series has the series' UID and a recurrence id.
func UIDKey(calendar, uid, recurrenceID string) []byte {
	return OfUID(UIDs, calendar, uid, recurrenceID)
}

// OfUID begins a key with a calendar and a UID, and ends it with a recurrence id.
func OfUID(s ledger.Prefix, calendar, uid, recurrenceID string) []byte {
	if len(uid) > maxUID {
		digest := sha256.Sum256([]byte(uid))
		uid = "\x01" + ledger.ShortID(digest[:], 32)
	}
	return append(append(append(s.Named(calendar), uid...), 0), recurrenceID...)
}

// Place is the position of an event in its calendar, by which events sort.
type Place struct {
	Calendar string `json:"calendar"` // its key
	Series   bool   `json:"series,omitempty"`
	Level    int    `json:"level"`
	From     int64  `json:"from"` // seconds since 1970
	to       int64  // likewise; not part of the key
}

func (p *Place) Key(s ledger.Prefix, id string) []byte {
	b := append(s.Named(p.Calendar), byte(p.Level))
	b = binary.BigEndian.AppendUint64(b, uint64(p.From)^1<<63)
	return append(b, id...)
}

// Records returns the space of the event's record.
func (p *Place) Records() ledger.Prefix {
	if p.Series {
		return SeriesRecords
	}
	return SingleRecords
}

// CutPlace reads a key of place.key; ok is false for a key that is too short.
func CutPlace(key []byte) (p Place, id string, ok bool) {
	name, tail, ok := ledger.CutNamed(key)
	if !ok || len(tail) < 1 {
		return p, "", false
	}
	start, event, ok := cutStart(tail[1:])
	p = Place{Calendar: name, Series: ledger.PrefixOf(key) == SeriesRecords, Level: int(tail[0]), From: start}
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
