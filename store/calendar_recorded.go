package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"techo/store/kv"
)

// calendarRecorded describes events, to-dos and the names of calendars for the history.
func calendarRecorded() []Recorded {
	return []Recorded{
		{
			Kind: KindEvent, Prefixes: []space{singleRecords, seriesRecords}, Value: eventValue,
			ID: func(key []byte) (string, bool) {
				_, id, ok := cutPlace(key)
				return id, ok && id != ""
			},
			Current: currentEvents, Describe: describeEvent, Restore: restoreCalendar,
			Versioned: atCalDAV, Same: sameEvent,
		},
		{
			Kind: KindCalendar, Current: currentNames, Describe: describeName, Restore: restoreName,
		},
	}
}

// todoRecorded describes to-dos for the history.
func todoRecorded() Recorded {
	return Recorded{
		Kind: KindTodo, Prefixes: []space{todoRecords}, Value: todoValue,
		ID: func(key []byte) (string, bool) {
			_, id, ok := cutNamed(key)
			return string(id), ok && len(id) > 0
		},
		Current: currentTodos, Describe: describeTodo, Restore: restoreCalendar,
		Versioned: atCalDAV, Same: sameTodo,
	}
}

// eventValue returns the value of an event in the form of the history, which begins with the key of
// its calendar.
func eventValue(key, value []byte) []byte {
	p, _, ok := cutPlace(key)
	if !ok {
		return value
	}
	return append(appendText(make([]byte, 0, len(p.Calendar)+4+len(value)), p.Calendar), value...)
}

// todoValue is eventValue for a to-do.
func todoValue(key, value []byte) []byte {
	calendar, _, ok := cutNamed(key)
	if !ok {
		return value
	}
	return append(appendText(nil, calendar), value...)
}

// currentEvents returns the values of events now: first their places are read, then the records.
func currentEvents(tx *Tx, _ string, ids []string) ([][]byte, error) {
	places, err := tx.GetMany(keysOfIDs(ids, eventKey))
	if err != nil {
		return nil, err
	}
	return valuesAt(tx, ids, places, eventValue, func(id string, value []byte) ([]byte, error) {
		var p place
		err := decode(eventKey(id), value, &p)
		return p.key(p.records(), id), err
	})
}

// currentTodos is currentEvents for to-dos.
func currentTodos(tx *Tx, _ string, ids []string) ([][]byte, error) {
	places, err := tx.GetMany(keysOfIDs(ids, todoPlaceKey))
	if err != nil {
		return nil, err
	}
	return valuesAt(tx, ids, places, todoValue, func(id string, value []byte) ([]byte, error) {
		return todoKey(string(value), id), nil
	})
}

// valuesAt returns the values of records whose places are known, nil for one without a place.
func valuesAt(tx *Tx, ids []string, places [][]byte, form func(key, value []byte) []byte,
	keyAt func(id string, place []byte) ([]byte, error)) (values [][]byte, err error) {
	values = make([][]byte, len(ids))
	var keys [][]byte
	var at []int
	for i, place := range places {
		if place == nil {
			continue
		}
		key, err := keyAt(ids[i], place)
		if err != nil {
			return nil, err
		}
		keys, at = append(keys, key), append(at, i)
	}
	found, err := tx.GetMany(keys)
	if err != nil {
		return nil, err
	}
	for n, value := range found {
		if value != nil {
			values[at[n]] = form(keys[n], value)
		}
	}
	return values, nil
}

// currentNames returns the names of calendars now.
func currentNames(tx *Tx, _ string, ids []string) (names [][]byte, err error) {
	for _, id := range ids {
		c, err := calendarOfID(tx, id)
		switch {
		case err == nil:
			names = append(names, []byte(c.Name))
		case errors.Is(err, kv.ErrNotFound):
			names = append(names, nil)
		default:
			return nil, err
		}
	}
	return names, nil
}

func describeName(_ *Tx, id string, value []byte) (title, text string, err error) {
	d := describing(KindCalendar, id)
	d.field("name", string(value))
	return string(value), d.String(), nil
}

func describeEvent(tx *Tx, id string, value []byte) (title, text string, err error) {
	e, err := eventOfValue(value)
	if err == nil {
		e.Calendar, err = nameAt(&eventTx{tx: tx}, e.Calendar)
	}
	if err != nil {
		return "", "", err
	}
	d := describing(KindEvent, id)
	describeEventFields(d, e)
	return e.Title, d.String(), nil
}

func describeTodo(tx *Tx, id string, value []byte) (title, text string, err error) {
	t, err := todoOfValue(value)
	if err == nil {
		t.Calendar, err = nameAt(&eventTx{tx: tx}, t.Calendar)
	}
	if err != nil {
		return "", "", err
	}
	d := describing(KindTodo, id)
	describeTodoFields(d, t)
	return t.Title, d.String(), nil
}

// layoutOf returns the layout of the times of an event.
func layoutOf(e *Event) string {
	if e.Form == AllDay {
		return "2006-01-02"
	}
	return "2006-01-02 15:04"
}

func describeEventFields(d *description, e Event) {
	d.field("title", e.Title)
	d.field("calendar", e.Calendar)
	d.field("start", e.Start.Format(layoutOf(&e)))
	d.field("end", e.End().Format(layoutOf(&e)))
	describeShared(d, e)
	if e.Free {
		d.field("busy", "false")
	}
	d.field("extra", strings.Join(e.Extra, "\n"))
}

func describeTodoFields(d *description, t Todo) {
	d.field("title", t.Title)
	d.field("calendar", t.Calendar)
	if t.Starts {
		d.field("start", t.Start.Format(layoutOf(&t.Event)))
	}
	if t.HasDue {
		d.field("due", t.End().Format(layoutOf(&t.Event)))
	}
	describeShared(d, t.Event)
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
func describeShared(d *description, e Event) {
	d.field("timezone", e.Zone)
	d.field("location", e.Location)
	d.field("description", e.Description)
	d.field("recurrence", strings.Join(e.Recurrence, "\n"))
	d.field("replaces", e.RecurrenceID)
	d.field("replaced", strings.Join(e.Exceptions, ", "))
	d.field("status", e.Status)
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

// restoreCalendar restores events and to-dos, which the removal of a calendar removes
// together.
func restoreCalendar(tx *Tx, c Change) error {
	t := newEventTx(tx)
	if err := restoreTodos(t, c); err != nil {
		return err
	}
	var before []Event
	for _, e := range c.Records {
		if e.Kind != KindEvent {
			continue
		}
		if e.Exists {
			now, err := t.load(e.ID)
			if err != nil {
				return err
			}
			if err := t.put(&now, nil); err != nil {
				return err
			}
		}
		if e.Existed {
			one, err := eventOfValue(e.before)
			if err != nil {
				return finding(Unreadable, KindChange, ChangeID(c.ID), err)
			}
			if one.Calendar, err = nameAt(t, one.Calendar); err != nil {
				return err
			}
			before = append(before, one)
		}
	}
	if err := readRestored(t, KindEvent, len(before), func(i int) *Event { return &before[i] }); err != nil {
		return err
	}
	for i := range before {
		e := &before[i]
		if _, err := t.byUID(e.Calendar, e.UID, e.RecurrenceID); err == nil {
			return &TakenError{Kind: KindEvent, Name: e.UID}
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if err := t.put(nil, e); err != nil {
			return err
		}
	}
	return t.save()
}

var eventPrefixes = []space{seriesRecords, calendarRecords, calendarNames, eventPlaces, eventGroups, singleRecords,
	seriesFilters, eventUIDs, mirrorObjects}

// calendarSchemas describe the keys of events and to-dos.
func calendarSchemas() []Schema {
	return []Schema{
		{Name: "events", Prefixes: eventPrefixes, Shared: true, Audit: newEventAudit, Repair: repairEvents,
			Recorded: calendarRecorded()},
		{Name: "todos", Prefixes: todoPrefixes, Shared: true, Audit: newTodoAudit, Repair: repairTodos,
			Recorded: []Recorded{todoRecorded()}},
	}
}
