package store

import (
	"errors"
	"testing"
	"time"

	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/space"
)

// wantCalendars fails unless the calendars of a store have these numbers of events.
func wantCalendars(t *testing.T, s *Store, want map[string]int) {
	t.Helper()
	all, err := s.Calendars(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Events() != want[c.Name] {
			t.Errorf("%s of %q has %d events, want %d", c.Name, s.Space, c.Events(), want[c.Name])
		}
	}
}

// TestMoveEventRefused moves events where they must not go.
func TestMoveEventRefused(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	team := In(s, "team", "bob")
	e := mustAddEvent(t, s, event.Event{Title: "a", UID: "same", Zone: "UTC", Start: wall("2026-01-05 09:00")}).Event
	if err := s.BindCalendar(ctx, "far", event.Binding{Kind: event.GoogleCalendar, Remote: "x"}); err != nil {
		t.Fatal(err)
	}
	move := func(from, to *Store, id, target string) error {
		_, err := calendar.MoveEvent(ctx, from.Ledger, to.Ledger, id, target, time.UTC)
		return err
	}
	if err := move(s, s, e.ID, ""); !errors.As(err, new(*calendar.SameCalendarError)) {
		t.Errorf("to where it is: %v", err)
	}
	if err := move(s, s, e.ID, "far"); !errors.As(err, new(*event.RemoteCalendarError)) {
		t.Errorf("to a service: %v", err)
	}
	if err := move(s, team, "none", ""); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("no event: %v", err)
	}
	if err := move(s, In(s, "team", "carol"), e.ID, ""); !errors.As(err, new(*space.RoleError)) {
		t.Errorf("a reader moves: %v", err)
	}
	mustAddEvent(t, team, event.Event{Title: "b", UID: "same", Zone: "UTC", Start: wall("2026-01-05 09:00")})
	if err := move(s, team, e.ID, ""); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("a taken UID: %v", err)
	}
	wantCalendars(t, s, map[string]int{event.DefaultCalendar: 1})
	wantSound(t, s)
}
