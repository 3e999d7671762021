package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"techo/store/calendar"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// fillBig adds a calendar "big" with more events than one transaction may have and a
// to-do, and one event to the default calendar.
func fillBig(t *testing.T, s *Store) (all []event.Event, one todo.Occurrence) {
	t.Helper()
	for i := range calendar.MaxUndoableEvents + 1 {
		all = append(all, event.Event{UID: fmt.Sprint("e", i), Title: "x", Status: event.Confirmed, Zone: "UTC",
			Start: wall("2026-01-05 09:00").Add(time.Duration(i) * time.Hour), Length: time.Hour})
	}
	if _, err := s.ImportEvents(t.Context(), "big", all); err != nil {
		t.Fatal(err)
	}
	task := daily("a")
	task.Calendar = "big"
	one, err := todo.Of(s.Ledger).Add(t.Context(), task, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	mustAddEvent(t, s, event.Event{Title: "kept", Zone: "UTC", Start: wall("2026-01-05 09:00"), Length: time.Hour})
	return all, one
}

// TestRemoveLargeCalendar removes a calendar with more events than one transaction may
// have. It disappears at once; the removal is cut off and goes on later.
func TestRemoveLargeCalendar(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	all, one := fillBig(t, s)
	if _, err := s.SetDefaultCalendar(t.Context(), "big"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveCalendar(t.Context(), "big", false); !errors.As(err, new(*calendar.FullCalendarError)) {
		t.Fatalf("without its events: %v", err)
	}
	found, err := s.FindEvents(t.Context(), event.Query{Calendars: []string{"big"}, From: wall("2026-01-05 00:00"),
		To: wall("2026-01-06 00:00"), Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c, err := calendar.HideCalendar(ctx, s.Ledger, "big", true)
	if err != nil || !c.Removing {
		t.Fatal(err)
	}
	stop()
	if err := calendar.DeleteHidden(ctx, s.Ledger, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("cut off: %v", err)
	}
	wantSound(t, s)
	for name, err := range map[string]error{
		"find":   second(s.FindCalendar(t.Context(), "big")),
		"get":    second(s.GetEvent(t.Context(), found.Occurrences[0].Event.ID, time.UTC)),
		"to-do":  second(todo.Of(s.Ledger).Get(t.Context(), one.ID, time.UTC)),
		"events": s.EachEvent(t.Context(), "big", func(event.Event) error { return nil }),
	} {
		if !errors.As(err, new(*ledger.NotFoundError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.ImportEvents(t.Context(), "big", all[:1]); !errors.As(err, new(*event.RemovingError)) {
		t.Errorf("import: %v", err)
	}
	if c, err := s.FindCalendar(t.Context(), ""); err != nil || c.Name != event.DefaultCalendar {
		t.Errorf("the default calendar is %s, %v", c.Name, err)
	}
	if _, err := s.RemoveCalendar(t.Context(), "big", true); err != nil {
		t.Fatal(err)
	}
	if r := wantSound(t, s); r.Counts["events"] != 1 || r.Counts["todos"] != 0 {
		t.Errorf("%v", r.Counts)
	}
	if err := s.Inspect(t.Context(), func(tx *ledger.Tx) error {
		_, err := tx.Get(event.CalendarKey("big"))
		return err
	}); !errors.Is(err, kv.ErrNotFound) {
		t.Error(err)
	}
	if _, err := s.ImportEvents(t.Context(), "big", all[:1]); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
