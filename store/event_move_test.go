package store

import (
	"errors"
	"testing"
	"time"
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
			t.Errorf("%s of %q has %d events, want %d", c.Name, s.space, c.Events(), want[c.Name])
		}
	}
}

// TestMoveEvent moves a series with a changed occurrence to another calendar, into a
// space and back by undo, from either side.
func TestMoveEvent(t *testing.T) {
	s := newSpace(t)
	ctx := WithOrigin(t.Context(), Origin{By: "bob"})
	team := In(s, "team", "bob")
	w := mustAddEvent(t, s, Event{Title: "weekly", Zone: "UTC", Start: wall("2026-01-05 09:00"), Length: time.Hour,
		Recurrence: []string{"RRULE:FREQ=WEEKLY;COUNT=3"}})
	second := w.Event.ID + "_20260112T090000Z"
	_, err := s.EditEvent(ctx, second, This, EventWrite{Zone: time.UTC}, func(e *Event) error {
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
			moved, err := MoveEvent(ctx, s.Ledger, to.Ledger, second, "work", time.UTC)
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
				if !errors.As(err, new(*NotFoundError)) {
					t.Errorf("still there: %v", err)
				}
				other := map[*Store]*Store{s: team, team: s}[side]
				_, err = UndoMove(ctx, side.Ledger, other.Ledger, "", HistoryFilter{Owner: "bob"}, "bob")
			} else {
				_, err = HistoryOf(s.Ledger).Undo(ctx, "", HistoryFilter{Owner: "bob"})
			}
			if err != nil {
				t.Fatal(err)
			}
			wantCalendars(t, s, map[string]int{DefaultCalendar: 2})
			wantSound(t, s)
		}
	}
}

// TestMoveEventRefused moves events where they must not go.
func TestMoveEventRefused(t *testing.T) {
	s, ctx := newSpace(t), t.Context()
	team := In(s, "team", "bob")
	e := mustAddEvent(t, s, Event{Title: "a", UID: "same", Zone: "UTC", Start: wall("2026-01-05 09:00")}).Event
	if err := s.BindCalendar(ctx, "far", Binding{Kind: GoogleCalendar, Remote: "x"}); err != nil {
		t.Fatal(err)
	}
	move := func(from, to *Store, id, target string) error {
		_, err := MoveEvent(ctx, from.Ledger, to.Ledger, id, target, time.UTC)
		return err
	}
	if err := move(s, s, e.ID, ""); !errors.As(err, new(*SameCalendarError)) {
		t.Errorf("to where it is: %v", err)
	}
	if err := move(s, s, e.ID, "far"); !errors.As(err, new(*RemoteCalendarError)) {
		t.Errorf("to a service: %v", err)
	}
	if err := move(s, team, "none", ""); !errors.As(err, new(*NotFoundError)) {
		t.Errorf("no event: %v", err)
	}
	if err := move(s, In(s, "team", "carol"), e.ID, ""); !errors.As(err, new(*SpaceRoleError)) {
		t.Errorf("a reader moves: %v", err)
	}
	mustAddEvent(t, team, Event{Title: "b", UID: "same", Zone: "UTC", Start: wall("2026-01-05 09:00")})
	if err := move(s, team, e.ID, ""); !errors.As(err, new(*TakenError)) {
		t.Errorf("a taken UID: %v", err)
	}
	wantCalendars(t, s, map[string]int{DefaultCalendar: 1})
	wantSound(t, s)
}

// TestMoveTodo moves a recurring to-do with a done occurrence into a space and
// back by undo.
func TestMoveTodo(t *testing.T) {
	s := newSpace(t)
	ctx := WithOrigin(t.Context(), Origin{By: "bob"})
	team := In(s, "team", "bob")
	o, err := TodosOf(s.Ledger).Add(ctx, daily("a"), time.UTC)
	if err == nil {
		_, _, err = TodosOf(s.Ledger).Complete(ctx, o.ID, s.time(), time.UTC)
	}
	if err != nil {
		t.Fatal(err)
	}
	states := todoStates(t, s)
	if _, err := MoveTodo(ctx, s.Ledger, s.Ledger, o.ID, "work", time.UTC); err != nil {
		t.Fatal(err)
	}
	moved, err := MoveTodo(ctx, s.Ledger, team.Ledger, o.ID, "", time.UTC)
	if err != nil || moved.Calendar != DefaultCalendar || moved.ID != o.ID {
		t.Fatalf("%+v %v", moved, err)
	}
	if now := todoStates(t, team); now != states {
		t.Errorf("%s there, before %s", now, states)
	}
	if _, err := MoveTodo(ctx, team.Ledger, team.Ledger, o.ID, "", time.UTC); !errors.As(err, new(*SameCalendarError)) {
		t.Errorf("to where it is: %v", err)
	}
	wantSound(t, s)
	if _, err := UndoMove(ctx, team.Ledger, s.Ledger, "", HistoryFilter{Owner: "bob"}, "bob"); err != nil {
		t.Fatal(err)
	}
	if _, err := HistoryOf(s.Ledger).Undo(ctx, "h3", HistoryFilter{Owner: "bob"}); err != nil {
		t.Fatal(err)
	}
	if now := todoStates(t, s); now != states {
		t.Errorf("%s after the undo, before %s", now, states)
	}
	wantSound(t, s)
}
