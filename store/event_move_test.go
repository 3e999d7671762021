package store

import (
	"errors"
	"testing"
	"time"

	"techo/store/calendar"
	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/space"
	"techo/store/todo"
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

// TestMoveEvent moves a series with a changed occurrence to another calendar, into a
// space and back by undo, from either side.
func TestMoveEvent(t *testing.T) {
	s := newSpace(t)
	ctx := ledger.WithOrigin(t.Context(), ledger.Origin{By: "bob"})
	team := In(s, "team", "bob")
	w := mustAddEvent(t, s, event.Event{Title: "weekly", Zone: "UTC", Start: wall("2026-01-05 09:00"),
		Length:     time.Hour,
		Recurrence: []string{"RRULE:FREQ=WEEKLY;COUNT=3"}})
	second := w.Event.ID + "_20260112T090000Z"
	_, err := s.EditEvent(ctx, second, event.This, event.Write{Zone: time.UTC}, func(e *event.Event) error {
		e.Title = "changed"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.GetEvent(ctx, w.Event.ID, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []*Store{s, team} {
		for _, side := range []*Store{s, to} {
			moved, err := calendar.MoveEvent(ctx, s.Ledger, to.Ledger, second, "work", time.UTC)
			if err != nil || moved.Title != "changed" || moved.Calendar != "work" {
				t.Fatalf("%+v %v", moved, err)
			}
			wantCalendars(t, to, map[string]int{"work": 2})
			after, err := to.GetEvent(ctx, w.Event.ID, time.UTC)
			if err != nil || after.Title != "weekly" || after.UID != before.UID ||
				!after.UpdatedAt.Equal(before.UpdatedAt) || !after.CreatedAt.Equal(before.CreatedAt) {
				t.Errorf("%+v %v", after, err)
			}
			if to == team {
				_, err = s.GetEvent(ctx, w.Event.ID, time.UTC)
				if !errors.As(err, new(*ledger.NotFoundError)) {
					t.Errorf("still there: %v", err)
				}
				other := map[*Store]*Store{s: team, team: s}[side]
				_, err = history.UndoMove(ctx, side.Ledger, other.Ledger, "", history.Filter{Owner: "bob"}, "bob")
			} else {
				_, err = history.Of(s.Ledger).Undo(ctx, "", history.Filter{Owner: "bob"})
			}
			if err != nil {
				t.Fatal(err)
			}
			wantCalendars(t, s, map[string]int{event.DefaultCalendar: 2})
			wantSound(t, s)
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

// TestMoveTodo moves a recurring to-do with a done occurrence into a space and
// back by undo.
func TestMoveTodo(t *testing.T) {
	s := newSpace(t)
	ctx := ledger.WithOrigin(t.Context(), ledger.Origin{By: "bob"})
	team := In(s, "team", "bob")
	o, err := todo.Of(s.Ledger).Add(ctx, daily("a"), time.UTC)
	if err == nil {
		_, err = todo.Of(s.Ledger).Complete(ctx, o.ID, todo.How{At: s.Time()}, time.UTC)
	}
	if err != nil {
		t.Fatal(err)
	}
	states := todoStates(t, s)
	if _, err := calendar.MoveTodo(ctx, s.Ledger, s.Ledger, o.ID, "work", time.UTC); err != nil {
		t.Fatal(err)
	}
	moved, err := calendar.MoveTodo(ctx, s.Ledger, team.Ledger, o.ID, "", time.UTC)
	if err != nil || moved.Calendar != event.DefaultCalendar || moved.ID != o.ID {
		t.Fatalf("%+v %v", moved, err)
	}
	if now := todoStates(t, team); now != states {
		t.Errorf("%s there, before %s", now, states)
	}
	if _, err := calendar.MoveTodo(ctx, team.Ledger, team.Ledger, o.ID, "", time.UTC); !errors.As(err,
		new(*calendar.SameCalendarError)) {
		t.Errorf("to where it is: %v", err)
	}
	wantSound(t, s)
	if _, err := history.UndoMove(ctx, team.Ledger, s.Ledger, "", history.Filter{Owner: "bob"}, "bob"); err != nil {
		t.Fatal(err)
	}
	if _, err := history.Of(s.Ledger).Undo(ctx, "h3", history.Filter{Owner: "bob"}); err != nil {
		t.Fatal(err)
	}
	if now := todoStates(t, s); now != states {
		t.Errorf("%s after the undo, before %s", now, states)
	}
	wantSound(t, s)
}
