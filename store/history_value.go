package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"techo/store/kv"
)

// # Values in the history
//
// The value of a record is the value under its key. The value of an event or a to-do
// begins with the key of its calendar, a text, which is in the key of its record only. The
// value of a calendar is its name (history_rename.go).

// valueOf returns the value of a record in the form of the history.
func valueOf(key, value []byte) []byte {
	switch spaceOf(key) {
	case singleRecords, seriesRecords:
		p, _, ok := cutPlace(key)
		if !ok {
			return value
		}
		return append(appendText(make([]byte, 0, len(p.Calendar)+4+len(value)), p.Calendar), value...)
	case todoRecords:
		if calendar, _, ok := cutNamed(key); ok {
			return append(appendText(nil, calendar), value...)
		}
	}
	return value
}

// indexNumbers are the fields of JSON records that number a record in an index.
// They differ after a record was removed and restored.
var indexNumbers = map[Kind][]string{
	KindMemo:   {`,"text":`},
	KindMemory: {`,"text":`, `,"group":`, `,"order":`},
}

// withoutNumbers returns a value without its numbers in indexes.
func withoutNumbers(kind Kind, value []byte) []byte {
	for _, field := range indexNumbers[kind] {
		// Quotes within JSON texts are escaped, so the field cannot be part of one.
		before, after, found := bytes.Cut(value, []byte(field))
		if !found {
			continue
		}
		after = bytes.TrimLeft(after, "0123456789")
		value = append(bytes.Clone(before), after...)
	}
	return value
}

// digestOf identifies a value: its length and its CRC-32C. It detects changes
// that the history did not record.
func digestOf(kind Kind, value []byte) uint64 {
	value = withoutNumbers(kind, value)
	return uint64(uint32(len(value)))<<32 | uint64(crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)))
}

// sameValue reports whether two values of a record are equal.
func sameValue(kind Kind, a, b []byte) bool {
	return bytes.Equal(withoutNumbers(kind, a), withoutNumbers(kind, b))
}

// currentValue returns the value of a record now; found is false if it does not
// exist. owner is the user of a memory.
func (h *historyTx) currentValue(kind Kind, id string) (value []byte, found bool, err error) {
	if kind == KindCalendar {
		c, err := calendarOfID(h.tx, id)
		return []byte(c.Name), err == nil, ignoreMissing(err)
	}
	key, err := h.currentKey(kind, id)
	if err != nil || key == nil {
		return nil, false, err
	}
	value, err = h.tx.Get(key)
	if err != nil {
		return nil, false, ignoreMissing(err)
	}
	return valueOf(key, value), true, nil
}

// currentKey returns the key that a record has now, nil if it has none.
func (h *historyTx) currentKey(kind Kind, id string) (key []byte, err error) {
	switch kind {
	case KindMemo:
		return memoKey(id), nil
	case KindMemory:
		user, err := h.userNumber()
		if err != nil || user == 0 {
			return nil, err
		}
		return memoryKey(user, id), nil
	case KindEvent:
		var p place
		if err := load(h.tx, eventKey(id), &p); err != nil {
			return nil, ignoreMissing(err)
		}
		return p.key(p.records(), id), nil
	case KindTodo:
		calendar, err := h.tx.Get(todoPlaceKey(id))
		if err != nil {
			return nil, ignoreMissing(err)
		}
		return todoKey(string(calendar), id), nil
	case KindQuestion:
		return questionKey(questionNumber(id)), nil
	case KindSpace:
		return spaceMembers.all(), nil
	}
	return nil, nil
}

// readTogether reads the current values of many records: first the places of the kinds that have
// one, then the records.
func (h *historyTx) readTogether(records []ChangedRecord) error {
	var keys [][]byte
	for _, r := range records {
		switch r.Kind {
		case KindEvent:
			keys = append(keys, eventKey(r.ID))
		case KindTodo:
			keys = append(keys, todoPlaceKey(r.ID))
		}
	}
	if _, err := h.tx.GetMany(keys); err != nil {
		return err
	}
	keys = keys[:0]
	for _, r := range records {
		key, err := h.currentKey(r.Kind, r.ID)
		if err != nil {
			return err
		}
		if key != nil {
			keys = append(keys, key)
		}
	}
	_, err := h.tx.GetMany(keys)
	return err
}

// historyTx reads the records of one change.
type historyTx struct {
	tx    *Tx
	owner string
	user  uint32 // number of owner, 0 when not yet known
}

func (h *historyTx) userNumber() (uint32, error) {
	if h.user == 0 {
		u, err := loadMemoryUser(h.tx, h.owner, false)
		if err != nil {
			return 0, err
		}
		h.user = u.Number
	}
	return h.user, nil
}

// ignoreMissing turns kv.ErrNotFound into no error.
func ignoreMissing(err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	return err
}

// eventOfValue decodes the value of an event.
func eventOfValue(value []byte) (Event, error) {
	r := &fieldReader{b: value}
	calendar := r.text()
	if r.err != nil {
		return Event{}, r.err
	}
	return readEvent(calendar, r.b)
}

// withName replaces the key of the calendar in the value of an event or a to-do by its
// name.
func withName(t *eventTx, value []byte) ([]byte, error) {
	r := &fieldReader{b: value}
	key := r.text()
	if r.err != nil {
		return value, r.err
	}
	name, err := nameAt(t, key)
	return append(appendText(nil, name), r.b...), err
}

// describe returns the title and the text of a record for people.
func describe(kind Kind, id string, value []byte) (title, text string, err error) {
	d := &description{}
	d.line("%s %s", kind, id)
	switch kind {
	case KindMemo:
		var r memoRecord
		if err = json.Unmarshal(value, &r); err == nil {
			title = r.Name
			d.memo(r)
		}
	case KindMemory:
		var r memoryRecord
		if err = json.Unmarshal(value, &r); err == nil {
			title = r.Caption
			d.memory(r)
		}
	case KindEvent:
		var e Event
		if e, err = eventOfValue(value); err == nil {
			title = e.Title
			d.event(e)
		}
	case KindTodo:
		var t Todo
		if t, err = todoOfValue(value); err == nil {
			title = t.Title
			d.todo(t)
		}
	case KindQuestion:
		var r questionRecord
		if err = json.Unmarshal(value, &r); err == nil {
			title = r.Text
			d.question(r)
		}
	case KindCalendar:
		title = string(value)
		d.field("name", title)
	case KindSpace:
		var r spaceRecord
		if r, err = decodeMembers(value); err == nil {
			title = r.Name
			d.space(r)
		}
	}
	return title, d.String(), err
}

// description is the text of a record: a line for each field that is set.
type description struct{ strings.Builder }

func (d *description) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *description) field(name, value string) {
	switch {
	case value == "":
	case strings.Contains(value, "\n"):
		d.line("%s:\n  %s", name, strings.ReplaceAll(value, "\n", "\n  "))
	default:
		d.line("%s: %s", name, value)
	}
}

func (d *description) memo(r memoRecord) {
	d.field("name", r.Name)
	d.field("priority", fmt.Sprint(r.Priority))
	d.field("tags", strings.Join(r.Tags, ", "))
	d.field("content", r.Content)
	d.field("detail", r.Detail)
}

func (d *description) memory(r memoryRecord) {
	d.field("caption", r.Caption)
	d.field("session", r.Session)
	d.field("topic", r.Topic)
	if r.Project {
		d.field("scope", r.scope())
	}
	if r.Expires != 0 {
		d.field("expires_at", time.UnixMilli(r.Expires).UTC().Format(time.RFC3339))
	}
	for _, f := range r.Former {
		d.field("supersedes", f.ID+" "+f.Caption)
	}
	d.field("full_text", r.Full)
}

// layoutOf returns the layout of the times of an event.
func layoutOf(e *Event) string {
	if e.Form == AllDay {
		return "2006-01-02"
	}
	return "2006-01-02 15:04"
}

func (d *description) event(e Event) {
	d.field("title", e.Title)
	d.field("calendar", e.Calendar)
	d.field("start", e.Start.Format(layoutOf(&e)))
	d.field("end", e.End().Format(layoutOf(&e)))
	d.shared(e)
	if e.Free {
		d.field("busy", "false")
	}
	d.field("extra", strings.Join(e.Extra, "\n"))
}

func (d *description) todo(t Todo) {
	d.field("title", t.Title)
	d.field("calendar", t.Calendar)
	if t.Starts {
		d.field("start", t.Start.Format(layoutOf(&t.Event)))
	}
	if t.HasDue {
		d.field("due", t.End().Format(layoutOf(&t.Event)))
	}
	d.shared(t.Event)
	if t.Priority != 0 {
		d.field("priority", fmt.Sprint(t.Priority))
	}
	if t.Percent != 0 {
		d.field("percent", fmt.Sprint(t.Percent))
	}
	if !t.CompletedAt.IsZero() {
		d.field("completed_at", t.CompletedAt.UTC().Format(time.RFC3339))
	}
	d.field("extra", strings.Join(t.Extra, "\n"))
}

// shared adds the other fields that events and to-dos have.
func (d *description) shared(e Event) {
	d.field("timezone", e.Zone)
	d.field("location", e.Location)
	d.field("description", e.Description)
	d.field("recurrence", strings.Join(e.Recurrence, "\n"))
	d.field("replaces", e.RecurrenceID)
	d.field("replaced", strings.Join(e.Exceptions, ", "))
	d.field("status", e.Status)
}

func (d *description) space(r spaceRecord) {
	d.field("name", r.Name)
	for _, m := range r.shared(NoRole).Members {
		d.field("member", m.User+" ("+m.Role.String()+")")
	}
	for _, m := range r.shared(NoRole).Invited {
		d.field("invited", m.User+" ("+m.Role.String()+")")
	}
}

func (d *description) question(r questionRecord) {
	d.field("question", r.Text)
	d.field("options", strings.Join(r.Options, "\n"))
	d.field("default", r.Default)
	d.field("status", r.Status)
	d.field("answer", strings.Join(r.Answer.Texts, "\n"))
	d.field("by", r.Answer.By)
}
