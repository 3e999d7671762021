package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"techo/store/event"
	"techo/store/todo"
)

// wantNames compares the names of all calendars but the default one.
func wantNames(t *testing.T, s *Store, want ...string) {
	t.Helper()
	all, err := s.Calendars(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		if c.Name != event.DefaultCalendar {
			names = append(names, c.Name)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestAddToChosenCalendar adds to the chosen default calendar after it was renamed, and
// after one at a service was chosen.
func TestAddToChosenCalendar(t *testing.T) {
	s := newStore(t)
	mustAddTo(t, s, "work", "first")
	if _, err := s.SetDefaultCalendar(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	mustRename(t, s, "work", "office")
	add := func() error {
		e := event.Event{Title: "e", Zone: "UTC", Start: wall("2026-01-05 09:00"), Length: time.Hour}
		w, err := s.AddEvent(t.Context(), e, event.Write{Zone: time.UTC})
		if err == nil && w.Event.Calendar != "office" {
			t.Errorf("%+v", w.Event)
		}
		_, held, holdErr := s.HoldEvents(t.Context(), []event.Event{e}, event.Write{Zone: time.UTC})
		if holdErr == nil && held[0].Calendar != "office" {
			t.Errorf("%+v", held)
		}
		_, todoErr := todo.Of(s.Ledger).Add(t.Context(), todo.Todo{Event: event.Event{Title: "t"}}, time.UTC)
		return errors.Join(err, holdErr, todoErr)
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
	wantTitles(t, s, "office", "e", "e", "first", "t")
	wantNames(t, s, "office")
	if err := s.BindCalendar(t.Context(), "g", event.Binding{Kind: event.GoogleCalendar}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetDefaultCalendar(t.Context(), "g"); err != nil {
		t.Fatal(err)
	}
	if err := add(); !errors.As(err, new(*event.RemoteCalendarError)) {
		t.Errorf("%v", err)
	}
	wantTitles(t, s, "office", "e", "e", "first", "t")
}
