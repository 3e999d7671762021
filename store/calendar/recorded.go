package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// recorded describes events, to-dos and the names of calendars for the history.
func recorded() []ledger.Recorded {
	return []ledger.Recorded{
		{
			Kind: ledger.KindEvent, Prefixes: []ledger.Prefix{event.SingleRecords,
				event.SeriesRecords}, Value: eventValue,
			ID: func(key []byte) (string, bool) {
				_, id, ok := event.CutPlace(key)
				return id, ok && id != ""
			},
			Current: currentEvents, Describe: describeEvent, Restore: restoreCalendar,
			Versioned: atCalDAV, Same: sameEvent,
		},
		{
			Kind: ledger.KindCalendar, Current: currentNames, Describe: describeName, Restore: restoreName,
		},
	}
}

// todoRecorded describes to-dos for the history.
func todoRecorded() ledger.Recorded {
	return ledger.Recorded{
		Kind: ledger.KindTodo, Prefixes: []ledger.Prefix{todo.Records}, Value: todoValue,
		ID: func(key []byte) (string, bool) {
			_, id, ok := ledger.CutNamed(key)
			return string(id), ok && len(id) > 0
		},
		Current: currentTodos, Describe: describeTodo, Restore: restoreCalendar,
		Versioned: atCalDAV, Same: sameTodo,
	}
}

// eventValue returns the value of an event in the form of the history, which begins with the key of
// its calendar.
func eventValue(key, value []byte) []byte {
	p, _, ok := event.CutPlace(key)
	if !ok {
		return value
	}
	return append(ledger.AppendText(make([]byte, 0, len(p.Calendar)+4+len(value)), p.Calendar), value...)
}

// todoValue is eventValue for a to-do.
func todoValue(key, value []byte) []byte {
	calendar, _, ok := ledger.CutNamed(key)
	if !ok {
		return value
	}
	return append(ledger.AppendText(nil, calendar), value...)
}

// currentEvents returns the values of events now: first their places are read, then the records.
func currentEvents(tx *ledger.Tx, _ string, ids []string) ([][]byte, error) {
	places, err := tx.GetMany(ledger.KeysOfIDs(ids, event.Key))
	if err != nil {
		return nil, err
	}
	return valuesAt(tx, ids, places, eventValue, func(id string, value []byte) ([]byte, error) {
		var p event.Place
		err := ledger.Decode(event.Key(id), value, &p)
		return p.Key(p.Records(), id), err
	})
}

// currentTodos is currentEvents for to-dos.
func currentTodos(tx *ledger.Tx, _ string, ids []string) ([][]byte, error) {
	places, err := tx.GetMany(ledger.KeysOfIDs(ids, todo.PlaceKey))
	if err != nil {
		return nil, err
	}
	return valuesAt(tx, ids, places, todoValue, func(id string, value []byte) ([]byte, error) {
		return todo.Key(string(value), id), nil
	})
}

// valuesAt returns the values of records whose places are known, nil for one without a place.
func valuesAt(tx *ledger.Tx, ids []string, places [][]byte, form func(key, value []byte) []byte,
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

func currentNames(tx *ledger.Tx, _ string, ids []string) (names [][]byte, err error) {
	for _, id := range ids {
		c, err := event.CalendarOfID(tx, id)
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

func describeName(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	d := ledger.Describing(ledger.KindCalendar, id)
	d.Field("name", string(value))
	return string(value), d.String(), nil
}

func describeEvent(tx *ledger.Tx, id string, value []byte) (title, text string, err error) {
	e, err := ofEventValue(value)
	if err == nil {
		e.Calendar, err = event.NameAt(&event.Tx{Tx: tx}, e.Calendar)
	}
	if err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindEvent, id)
	describeEventFields(d, e)
	return e.Title, d.String(), nil
}

func describeTodo(tx *ledger.Tx, id string, value []byte) (title, text string, err error) {
	t, err := todo.OfValue(value)
	if err == nil {
		t.Calendar, err = event.NameAt(&event.Tx{Tx: tx}, t.Calendar)
	}
	if err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindTodo, id)
	describeTodoFields(d, t)
	return t.Title, d.String(), nil
}

func layoutOf(e *event.Event) string {
	if e.Form == event.AllDay {
		return "2006-01-02"
	}
	return "2006-01-02 15:04"
}

func describeEventFields(d *ledger.Description, e event.Event) {
	d.Field("title", e.Title)
	d.Field("calendar", e.Calendar)
	d.Field("start", e.Start.Format(layoutOf(&e)))
	d.Field("end", e.End().Format(layoutOf(&e)))
	describeShared(d, e)
	if e.Free {
		d.Field("busy", "false")
	}
	d.Field("extra", strings.Join(e.Extra, "\n"))
}

func describeTodoFields(d *ledger.Description, t todo.Todo) {
	d.Field("title", t.Title)
	d.Field("calendar", t.Calendar)
	if t.Starts {
		d.Field("start", t.Start.Format(layoutOf(&t.Event)))
	}
	if t.HasDue {
		d.Field("due", t.End().Format(layoutOf(&t.Event)))
	}
	describeShared(d, t.Event)
	if t.Priority != 0 {
		d.Field("priority", fmt.Sprint(t.Priority))
	}
	if t.Percent != 0 {
		d.Field("percent", fmt.Sprint(t.Percent))
	}
	if !t.CompletedAt.IsZero() {
		d.Field("completed_at", t.CompletedAt.UTC().Format(time.RFC3339))
	}
	d.Field("extra", strings.Join(t.Extra, "\n"))
}

// shared adds the other fields that events and to-dos have.
func describeShared(d *ledger.Description, e event.Event) {
	d.Field("timezone", e.Zone)
	d.Field("location", e.Location)
	d.Field("description", e.Description)
	d.Field("recurrence", strings.Join(e.Recurrence, "\n"))
	d.Field("replaces", e.RecurrenceID)
	d.Field("replaced", strings.Join(e.Exceptions, ", "))
	d.Field("status", e.Status)
}

func ofEventValue(value []byte) (event.Event, error) {
	r := &ledger.FieldReader{B: value}
	calendar := r.Text()
	if r.Err != nil {
		return event.Event{}, r.Err
	}
	return event.Read(calendar, r.B)
}

// restoreCalendar restores events and to-dos, which the removal of a calendar removes
// together.
func restoreCalendar(tx *ledger.Tx, c ledger.Change) error {
	t := event.NewTx(tx)
	if err := restoreTodos(t, c); err != nil {
		return err
	}
	var before []event.Event
	for _, e := range c.Records {
		if e.Kind != ledger.KindEvent {
			continue
		}
		if e.Exists {
			now, err := t.Load(e.ID)
			if err != nil {
				return err
			}
			if err := t.Put(&now, nil); err != nil {
				return err
			}
		}
		if e.Existed {
			one, err := ofEventValue(e.Before)
			if err != nil {
				return ledger.Finding(ledger.Unreadable, ledger.KindChange, ledger.ChangeID(c.ID), err)
			}
			if one.Calendar, err = event.NameAt(t, one.Calendar); err != nil {
				return err
			}
			before = append(before, one)
		}
	}
	if err := readRestored(t, ledger.KindEvent, len(before),
		func(i int) *event.Event { return &before[i] }); err != nil {
		return err
	}
	for i := range before {
		if err := freeForEvent(t, &before[i]); err != nil {
			return err
		}
		if err := t.Put(nil, &before[i]); err != nil {
			return err
		}
	}
	return t.Save()
}

var prefixes = []ledger.Prefix{event.SeriesRecords, event.Calendars, event.CalendarNames, event.Places, event.Groups,
	event.SingleRecords,
	event.SeriesFilters, event.UIDs, event.MirrorObjects}

// Schemas describe the keys of events and to-dos.
func Schemas() []ledger.Schema {
	return []ledger.Schema{
		{Name: "events", Prefixes: prefixes, Shared: true, Audit: newAudit, Repair: Repair,
			Recorded: recorded()},
		todo.Schema(todoRecorded()),
	}
}
