// Package calendartest has what the tests of the packages beside it share. Only tests import it.
package calendartest

import (
	"context"
	"testing"
	"time"

	"techo/internal/ical"
	"techo/internal/testenv"
	"techo/internal/zone"
	"techo/store"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// Store returns an empty store.
func Store(t testing.TB) *store.Store {
	t.Helper()
	o := store.Options{Write: true, Now: time.Now, Given: true}
	st, err := store.Open(testenv.Place(t, store.Migrate, o), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// Env is the environment of a caller in a time zone, whose clock stands.
func Env(t testing.TB, st *store.Store, tz, now string) *tools.Env {
	t.Helper()
	loc, ok := zone.Find(tz)
	if !ok {
		t.Fatal(tz)
	}
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	return &tools.Env{Zone: loc, Now: func() time.Time { return at },
		Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
}

// Import imports a file into the default calendar.
func Import(t testing.TB, env *tools.Env, st *store.Store, data []byte) (total event.Imported, read ics.Read) {
	t.Helper()
	read, err := ics.Parse(env, ical.OpenBytes(data), "", ics.Emit{Events: func(all []event.Event) error {
		n, err := st.ImportEvents(t.Context(), event.DefaultCalendar, all)
		total.Add(n)
		return err
	}, Todos: func(all []todo.Todo) error {
		n, err := st.ImportTodos(t.Context(), event.DefaultCalendar, all)
		total.Add(n)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	return total, read
}
