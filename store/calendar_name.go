package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"techo/store/kv"
)

// # Names of calendars
//
// The keys of the records of a calendar begin with a text that never changes: the key of
// the calendar, at first its name. The record of the calendar lies under its key and has
// the name. So a renaming changes two keys, however many events there are, and the
// history, whose values have keys, stays right. The space cn has the keys of calendars
// whose name differs from their key.

// maxCalendarKey is the longest key of a calendar, in bytes.
const maxCalendarKey = MaxCalendarName + 16

// key returns what stands for the calendar in the keys of its records.
func (c *Calendar) key() string { return cmp.Or(c.Key, c.Name) }

// stored loads the record of the calendar with a name, also of one that is being
// removed. It fails with kv.ErrNotFound.
func stored(t *eventTx, name string) (*Calendar, error) {
	c := &Calendar{}
	err := load(t.tx, calendarKey(name), c)
	if err == nil && c.Name == name || err != nil && !errors.Is(err, kv.ErrNotFound) || name == DefaultCalendar {
		return c, err
	}
	key, err := t.tx.Get(calendarNameKey(name))
	if err != nil {
		return nil, err
	}
	c = &Calendar{}
	return c, load(t.tx, calendarKey(string(key)), c)
}

// calendarAt loads the calendar with a key, once per transaction. It fails with
// kv.ErrNotFound, also for one that is being removed.
func calendarAt(t *eventTx, key string) (*Calendar, error) {
	for _, c := range t.calendars {
		if c.key() == key {
			return c, nil
		}
	}
	c := &Calendar{}
	err := load(t.tx, calendarKey(key), c)
	if errors.Is(err, kv.ErrNotFound) && key == DefaultCalendar {
		return t.remember(newCalendar(key, "")), nil
	}
	if err != nil {
		return nil, err
	}
	if c.Removing || c.Gone {
		return nil, kv.ErrNotFound
	}
	return t.remember(c), nil
}

// keyOf returns the key of the calendar with a name, or the one that it would get.
func keyOf(t *eventTx, name string) (string, error) {
	c, err := t.calendar(name)
	if err == nil {
		return c.key(), nil
	}
	if !errors.As(err, new(*NotFoundError)) {
		return "", err
	}
	key, err := freeKey(t, name)
	return cmp.Or(key, name), err
}

// nameAt returns the name of the calendar with a key, also of one that was removed.
func nameAt(t *eventTx, key string) (string, error) {
	c := &Calendar{}
	err := load(t.tx, calendarKey(key), c)
	return cmp.Or(c.Name, key), ignoreMissing(err)
}

// freeKey returns the key of a new calendar, "" if it is the name: the key of a removed
// calendar with this name, or one that no other calendar has.
func freeKey(t *eventTx, name string) (key string, err error) {
	taken := map[string]bool{}
	for item, err := range t.tx.Scan(kv.Range{Prefix: calendarRecords.all()}) {
		if err != nil {
			return "", err
		}
		key := string(rest(item.Key))
		var c Calendar
		if err := load(t.tx, item.Key, &c); err != nil {
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
func (s *Store) RenameCalendar(ctx context.Context, name, to string) (c Calendar, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		if name == DefaultCalendar {
			return errDefaultCalendar
		}
		renamed, err := t.calendar(name)
		if err != nil {
			return err
		}
		if err := nameFree(t, to); err != nil {
			return err
		}
		if err := usableName(t, to); err != nil {
			return err
		}
		if err := rename(t, renamed, to); err != nil {
			return err
		}
		c = *renamed
		return t.save()
	})
	return c, err
}

// CalendarNameError reports that a new calendar cannot have a name with a slash: among the
// calendars of several places it would look like one of a shared space.
type CalendarNameError struct{ Name string }

func (e *CalendarNameError) Error() string { return "calendar " + e.Name + ": a slash in a new name" }

// UsableCalendarName fails with a CalendarNameError for a name that no calendar has and no
// new one can have.
func (s *Store) UsableCalendarName(ctx context.Context, name string) error {
	return s.view(ctx, func(tx *Tx) error { return usableName(s.newEventTx(tx), name) })
}

func usableName(t *eventTx, name string) error {
	if !strings.Contains(name, "/") {
		return nil
	}
	_, err := t.calendar(name)
	if errors.As(err, new(*NotFoundError)) {
		return &CalendarNameError{name}
	}
	return err
}

// nameFree fails with a TakenError or a RemovingError if a calendar has a name.
func nameFree(t *eventTx, name string) error {
	other, err := stored(t, name)
	switch {
	case err == nil && other.Removing:
		return &RemovingError{name}
	case err == nil || name == DefaultCalendar:
		return &TakenError{Kind: KindCalendar, Name: name}
	}
	return ignoreMissing(err)
}

// rename gives a calendar a name that no other one has, and records that.
func rename(t *eventTx, c *Calendar, to string) error {
	recordName(t, c, to)
	if c.Key != "" {
		if err := t.tx.Delete(calendarNameKey(c.Name)); err != nil {
			return err
		}
	}
	first := &Calendar{}
	err := load(t.tx, calendarKey(DefaultCalendar), first)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if err == nil && first.Default == c.Name {
		first.Default = to
		t.remember(first)
	}
	delete(t.calendars, c.Name)
	if c.Name, c.Key = to, c.key(); c.Key == to {
		c.Key = ""
	}
	c.unnamed = c.Key != ""
	t.remember(c)
	return nil
}

// forget deletes the record of a calendar that has no other records. The history still
// needs the name of one that was renamed.
func forget(t *eventTx, c *Calendar) error {
	if c.Key == "" {
		return t.tx.Delete(calendarKey(c.Name))
	}
	if err := t.tx.Delete(calendarNameKey(c.Name)); err != nil {
		return err
	}
	return save(t.tx, calendarKey(c.Key), Calendar{Name: c.Name, Key: c.Key, Gone: true})
}
