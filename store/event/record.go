package event

import (
	"encoding/binary"
	"time"

	"techo/store/ledger"
)

// The record of an event is a byte 1 and its fields. A field is the byte that
// identifies it, the length of its value as an unsigned varint, and the value. A
// text is its bytes, a number a signed varint; a list has one field per element.
// Zero fields are omitted, unknown fields are skipped. Decoding JSON took ten
// times as long, and a query reads a thousand records.
//
// The letters of fields must never change.
const (
	fieldID           = 'i'
	fieldUID          = 'u' // unless equal to the id
	fieldTitle        = 't'
	fieldLocation     = 'l'
	fieldDescription  = 'd'
	fieldStart        = 's' // local time, seconds since 1970
	fieldForm         = 'f'
	fieldZone         = 'z'
	fieldZoneRules    = 'Z'
	fieldDays         = 'D'
	fieldLength       = 'L' // seconds
	fieldRecurrence   = 'r' // list
	fieldRecurrenceID = 'o'
	fieldException    = 'x' // list
	fieldStatus       = 'S' // unless confirmed
	fieldFlags        = 'b' // 1 free, 2 declined, 4 pending, 8 never, 16 later
	fieldGroup        = 'g'
	fieldExpires      = 'e' // milliseconds since 1970
	fieldSequence     = 'n'
	fieldExtra        = 'X' // list
	fieldCreated      = 'c' // milliseconds since 1970
	fieldUpdated      = 'm'
	fieldStamp        = 'p' // seconds since 1970
)

type recordWriter []byte

func (w *recordWriter) text(field byte, s string) {
	if s != "" {
		*w = append(binary.AppendUvarint(append(*w, field), uint64(len(s))), s...)
	}
}

func (w *recordWriter) number(field byte, n int64) {
	if n != 0 {
		value := binary.AppendVarint(nil, n)
		*w = append(binary.AppendUvarint(append(*w, field), uint64(len(value))), value...)
	}
}

// RecordOf encodes an event.
func RecordOf(e *Event) []byte {
	w := recordWriter{1}
	w.text(fieldID, e.ID)
	if e.UID != e.ID {
		w.text(fieldUID, e.UID)
	}
	w.text(fieldTitle, e.Title)
	w.text(fieldLocation, e.Location)
	w.text(fieldDescription, e.Description)
	w.number(fieldStart, e.Start.Unix())
	w.number(fieldForm, int64(e.Form))
	w.text(fieldZone, e.Zone)
	w.text(fieldZoneRules, e.ZoneRules)
	w.number(fieldDays, int64(e.Days))
	w.number(fieldLength, int64(e.Length/time.Second))
	for _, l := range e.Recurrence {
		w.text(fieldRecurrence, l)
	}
	w.text(fieldRecurrenceID, e.RecurrenceID)
	for _, x := range e.Exceptions {
		w.text(fieldException, x)
	}
	if e.Status != Confirmed {
		w.text(fieldStatus, e.Status)
	}
	flags := int64(0)
	for i, on := range []bool{e.Free, e.Declined, e.Pending, e.Never, e.Later} {
		if on {
			flags |= 1 << i
		}
	}
	w.number(fieldFlags, flags)
	w.text(fieldGroup, e.Group)
	if !e.Expires.IsZero() {
		w.number(fieldExpires, e.Expires.UnixMilli())
	}
	w.number(fieldSequence, int64(e.Sequence))
	for _, l := range e.Extra {
		w.text(fieldExtra, l)
	}
	w.number(fieldCreated, e.CreatedAt.UnixMilli())
	w.number(fieldUpdated, e.UpdatedAt.UnixMilli())
	if !e.Stamp.IsZero() {
		w.number(fieldStamp, e.Stamp.Unix())
	}
	return w
}

// Read decodes a record of recordOfEvent.
func Read(calendar string, b []byte) (Event, error) {
	e, err := ReadFields(calendar, b)
	e.Etag = ledger.Etag(b)
	return e, err
}

// ReadFields is readEvent without the etag, which takes half of the time.
func ReadFields(calendar string, b []byte) (Event, error) {
	e := Event{Calendar: calendar, Status: Confirmed, Start: time.Unix(0, 0).UTC()}
	if len(b) == 0 || b[0] != 1 {
		return e, ledger.Finding(ledger.Unreadable, ledger.KindEvent, "", nil)
	}
	all := string(b) // the texts share its memory
	for rest := all[1:]; rest != ""; {
		length, n := uvarint(rest[1:])
		if n <= 0 || length > uint64(len(rest)-1-n) {
			return e, ledger.Finding(ledger.Unreadable, ledger.KindEvent, "", nil)
		}
		value := rest[1+n : 1+n+int(length)]
		if !e.set(rest[0], value) {
			return e, ledger.Finding(ledger.Unreadable, ledger.KindEvent, "", nil)
		}
		rest = rest[1+n+int(length):]
	}
	if e.UID == "" {
		e.UID = e.ID
	}
	return e, nil
}

func uvarint(s string) (uint64, int) {
	return binary.Uvarint([]byte(s[:min(len(s), binary.MaxVarintLen64)]))
}

// set sets a field; it reports whether the value is valid.
func (e *Event) set(field byte, value string) bool {
	switch field {
	case fieldTitle:
		e.Title = value
	case fieldID:
		e.ID = value
	case fieldUID:
		e.UID = value
	case fieldZone:
		e.Zone = value
	case fieldLocation:
		e.Location = value
	case fieldDescription:
		e.Description = value
	case fieldRecurrenceID:
		e.RecurrenceID = value
	case fieldStatus:
		e.Status = value
	case fieldGroup:
		e.Group = value
	case fieldZoneRules:
		e.ZoneRules = value
	case fieldRecurrence:
		e.Recurrence = append(e.Recurrence, value)
	case fieldException:
		e.Exceptions = append(e.Exceptions, value)
	case fieldExtra:
		e.Extra = append(e.Extra, value)
	case fieldStart, fieldForm, fieldDays, fieldLength, fieldFlags, fieldExpires, fieldSequence, fieldCreated,
		fieldUpdated, fieldStamp:
		n, size := binary.Varint([]byte(value))
		if size <= 0 {
			return false
		}
		e.setNumber(field, n)
	}
	return true
}

func (e *Event) setNumber(field byte, n int64) {
	switch field {
	case fieldStart:
		e.Start = time.Unix(n, 0).UTC()
	case fieldForm:
		e.Form = Form(n)
	case fieldDays:
		e.Days = int(n)
	case fieldLength:
		e.Length = time.Duration(n) * time.Second
	case fieldFlags:
		e.Free, e.Declined, e.Pending, e.Never, e.Later = n&1 != 0, n&2 != 0, n&4 != 0, n&8 != 0, n&16 != 0
	case fieldExpires:
		e.Expires = time.UnixMilli(n)
	case fieldSequence:
		e.Sequence = int(n)
	case fieldCreated:
		e.CreatedAt = time.UnixMilli(n)
	case fieldUpdated:
		e.UpdatedAt = time.UnixMilli(n)
	case fieldStamp:
		e.Stamp = time.Unix(n, 0).UTC()
	}
}

// ClearVersion removes the version and the times that a service assigns.
func (e *Event) ClearVersion() {
	e.Sequence, e.CreatedAt, e.UpdatedAt = 0, time.UnixMilli(0), time.UnixMilli(0)
}
