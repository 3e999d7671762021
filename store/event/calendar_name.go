package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"techo/store/kv"
	"techo/store/ledger"
)

// # Names of calendars
//
// The keys of the records of a calendar begin with a text that never changes: the key of
// the calendar, at first its name. The record of the calendar lies under its key and has
// the name. So a renaming changes two keys, however many events there are, and the
// history, whose values have keys, stays right. The space cn has the keys of calendars
// whose name differs from their key.

// MaxCalendarKey is the longest key of a calendar, in bytes.
const MaxCalendarKey = MaxCalendarName + 16

// InKeys returns what stands for the calendar in the keys of its records.
func (c *Calendar) InKeys() string { return cmp.Or(c.Key, c.Name) }

// Stored loads the record of the calendar with a name, also of one that is being
// removed. It fails with kv.ErrNotFound.
func Stored(t *Tx, name string) (*Calendar, error) {
	c := &Calendar{}
	err := ledger.Load(t.Tx, CalendarKey(name), c)
	if err == nil && c.Name == name || err != nil && !errors.Is(err, kv.ErrNotFound) || name == DefaultCalendar {
		return c, err
	}
	key, err := t.Tx.Get(CalendarNameKey(name))
	if err != nil {
		return nil, err
	}
	c = &Calendar{}
	return c, ledger.Load(t.Tx, CalendarKey(string(key)), c)
}

// CalendarAt loads the calendar with a key, once per transaction. It fails with
// kv.ErrNotFound, also for one that is being removed.
func CalendarAt(t *Tx, key string) (*Calendar, error) {
	for _, c := range t.Calendars {
		if c.InKeys() == key {
			return c, nil
		}
	}
	c := &Calendar{}
	err := ledger.Load(t.Tx, CalendarKey(key), c)
	if errors.Is(err, kv.ErrNotFound) && key == DefaultCalendar {
		return t.Remember(NewCalendar(key, "")), nil
	}
	if err != nil {
		return nil, err
	}
	if c.Removing || c.Gone {
		return nil, kv.ErrNotFound
	}
	return t.Remember(c), nil
}

// KeyOf returns the key of the calendar with a name, or the one that it would get.
func KeyOf(t *Tx, name string) (string, error) {
	c, err := t.Calendar(name)
	if err == nil {
		return c.InKeys(), nil
	}
	if !errors.As(err, new(*ledger.NotFoundError)) {
		return "", err
	}
	key, err := t.freeKey(name)
	return cmp.Or(key, name), err
}

// NameAt returns the name of the calendar with a key, also of one that was removed.
func NameAt(t *Tx, key string) (string, error) {
	c := &Calendar{}
	err := ledger.Load(t.Tx, CalendarKey(key), c)
	return cmp.Or(c.Name, key), ledger.IgnoreMissing(err)
}

// freeKey returns the key of a new calendar, "" if it is the name: the key of a removed
// calendar with this name, or one that no other calendar has.
func (t *Tx) freeKey(name string) (key string, err error) {
	taken := map[string]bool{}
	for item, err := range t.Tx.Scan(kv.Range{Prefix: Calendars.All()}) {
		if err != nil {
			return "", err
		}
		key := string(ledger.Rest(item.Key))
		var c Calendar
		if err := ledger.Load(t.Tx, item.Key, &c); err != nil {
			return "", err
		}
		if c.Gone && c.Name == name {
			return key, nil
		}
		taken[key] = true
	}
	if !taken[name] {
		return "", nil
	}
	for n := 2; ; n++ {
		if key = fmt.Sprint(name, "\x00", n); !taken[key] { // a name has no control characters
			return key, nil
		}
	}
}

// RenameCalendar renames a calendar of any size in one transaction. It fails with a
// TakenError if the new name exists, or a CalendarNameError. DefaultCalendar cannot be renamed.
func (s Events) RenameCalendar(ctx context.Context, name, to string) (c Calendar, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		t := NewTx(tx)
		if name == DefaultCalendar {
			return ErrDefaultCalendar
		}
		renamed, err := t.Calendar(name)
		if err != nil {
			return err
		}
		if err := NameFree(t, to); err != nil {
			return err
		}
		if err := UsableName(t, to); err != nil {
			return err
		}
		if err := Rename(t, renamed, to); err != nil {
			return err
		}
		c = *renamed
		return t.Save()
	})
	return c, err
}

// CalendarNameError reports that a new calendar cannot have a name with a slash: among the
// calendars of several places it would look like one of a shared space.
type CalendarNameError struct{ Name string }

func (e *CalendarNameError) Error() string { return "calendar " + e.Name + ": a slash in a new name" }

// UsableCalendarName fails with a CalendarNameError for a name that no calendar has and no
// new one can have.
func (s Events) UsableCalendarName(ctx context.Context, name string) error {
	return s.View(ctx, func(tx *ledger.Tx) error { return UsableName(NewTx(tx), name) })
}

func UsableName(t *Tx, name string) error {
	if !strings.Contains(name, "/") {
		return nil
	}
	_, err := t.Calendar(name)
	if errors.As(err, new(*ledger.NotFoundError)) {
		return &CalendarNameError{name}
	}
	return err
}

// NameFree fails with a TakenError or a RemovingError if a calendar has a name.
func NameFree(t *Tx, name string) error {
	other, err := Stored(t, name)
	switch {
	case err == nil && other.Removing:
		return &RemovingError{name}
	case err == nil || name == DefaultCalendar:
		return &ledger.TakenError{Kind: ledger.KindCalendar, Name: name}
	}
	return ledger.IgnoreMissing(err)
}

// Rename gives a calendar a name that no other one has, and records that.
func Rename(t *Tx, c *Calendar, to string) error {
	t.recordName(c, to)
	if c.Key != "" {
		if err := t.Tx.Delete(CalendarNameKey(c.Name)); err != nil {
			return err
		}
	}
	first := &Calendar{}
	err := ledger.Load(t.Tx, CalendarKey(DefaultCalendar), first)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if err == nil && first.Default == c.Name {
		first.Default = to
		t.Remember(first)
	}
	delete(t.Calendars, c.Name)
	if c.Name, c.Key = to, c.InKeys(); c.Key == to {
		c.Key = ""
	}
	c.Unnamed = c.Key != ""
	t.Remember(c)
	return nil
}

// Forget deletes the record of a calendar that has no other records. The history still
// needs the name of one that was renamed.
func Forget(t *Tx, c *Calendar) error {
	if c.Key == "" {
		return t.Tx.Delete(CalendarKey(c.Name))
	}
	if err := t.Tx.Delete(CalendarNameKey(c.Name)); err != nil {
		return err
	}
	return ledger.Save(t.Tx, CalendarKey(c.Key), Calendar{Name: c.Name, Key: c.Key, Gone: true})
}

// CalendarID returns the id of a calendar in the history: its key, in which a number follows
// the first name if that was in use. Such an id ends with a space, which no name does.
func CalendarID(key string) string {
	if name, number, numbered := strings.Cut(key, "\x00"); numbered {
		return name + " " + number + " "
	}
	return key
}

// CalendarOfID loads the calendar with an id of calendarID. It fails with kv.ErrNotFound,
// also for one that was removed.
func CalendarOfID(tx *ledger.Tx, id string) (c Calendar, err error) {
	if numbered, ok := strings.CutSuffix(id, " "); ok {
		if i := strings.LastIndexByte(numbered, ' '); i >= 0 {
			id = numbered[:i] + "\x00" + numbered[i+1:]
		}
	}
	if err = ledger.Load(tx, CalendarKey(id), &c); err == nil && (c.Removing || c.Gone) {
		err = kv.ErrNotFound
	}
	return c, err
}

// noteCalendar notes that a transaction has read the name of a calendar.
func noteCalendar(tx *ledger.Tx, c *Calendar) {
	if recorder := tx.Changes; recorder != nil {
		recorder.Named = append(recorder.Named, ledger.RecordID{Kind: ledger.KindCalendar, ID: CalendarID(c.InKeys())})
	}
}

func (t *Tx) recordName(c *Calendar, to string) {
	recorder := t.Tx.Changes
	if recorder == nil {
		return
	}
	recorder.Outside = append(recorder.Outside, ledger.ChangedRecord{Kind: ledger.KindCalendar,
		ID:      CalendarID(c.InKeys()),
		Existed: true, Exists: true, Before: []byte(c.Name), After: ledger.DigestOf([]byte(to))})
}
