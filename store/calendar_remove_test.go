package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"techo/store/kv"
)

// fillBig adds a calendar "big" with more events than one transaction may have and a
// to-do, and one event to the default calendar.
func fillBig(t *testing.T, s *Store) (all []Event, one TodoOccurrence) {
	t.Helper()
	for i := range MaxUndoableEvents + 1 {
		all = append(all, Event{UID: fmt.Sprint("e", i), Title: "x", Status: Confirmed, Zone: "UTC",
			Start: wall("2026-01-05 09:00").Add(time.Duration(i) * time.Hour), Length: time.Hour})
	}
	if _, err := s.ImportEvents(t.Context(), "big", all); err != nil {
		t.Fatal(err)
	}
	todo := daily("a")
	todo.Calendar = "big"
	one, err := TodosOf(s).Add(t.Context(), todo, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	mustAddEvent(t, s, Event{Title: "kept", Zone: "UTC", Start: wall("2026-01-05 09:00"), Length: time.Hour})
	return all, one
}

// TestRemoveLargeCalendar removes a calendar with more events than one transaction may
// have. It disappears at once; the removal is cut off and goes on later.
func TestRemoveLargeCalendar(t *testing.T) {
	s := newStore(t)
	all, one := fillBig(t, s)
	if _, err := s.SetDefaultCalendar(t.Context(), "big"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveCalendar(t.Context(), "big", false); !errors.As(err, new(*FullCalendarError)) {
		t.Fatalf("without its events: %v", err)
	}
	found, err := s.FindEvents(t.Context(), EventQuery{Calendars: []string{"big"}, From: wall("2026-01-05 00:00"),
		To: wall("2026-01-06 00:00"), Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c, err := hideCalendar(ctx, s, "big", true)
	if err != nil || !c.Removing {
		t.Fatal(err)
	}
	stop()
	if err := deleteHidden(ctx, s, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("cut off: %v", err)
	}
	wantSound(t, s)
	for name, err := range map[string]error{
		"find":   second(s.FindCalendar(t.Context(), "big")),
		"get":    second(s.GetEvent(t.Context(), found.Occurrences[0].Event.ID, time.UTC)),
		"to-do":  second(TodosOf(s).Get(t.Context(), one.ID, time.UTC)),
		"events": s.EachEvent(t.Context(), "big", func(Event) error { return nil }),
	} {
		if !errors.As(err, new(*NotFoundError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.ImportEvents(t.Context(), "big", all[:1]); !errors.As(err, new(*RemovingError)) {
		t.Errorf("import: %v", err)
	}
	if c, err := s.FindCalendar(t.Context(), ""); err != nil || c.Name != DefaultCalendar {
		t.Errorf("the default calendar is %s, %v", c.Name, err)
	}
	if _, err := s.RemoveCalendar(t.Context(), "big", true); err != nil {
		t.Fatal(err)
	}
	if r := wantSound(t, s); r.Counts["events"] != 1 || r.Counts["todos"] != 0 {
		t.Errorf("%v", r.Counts)
	}
	if err := s.inspect(t.Context(), func(tx *Tx) error {
		_, err := tx.Get(calendarKey("big"))
		return err
	}); !errors.Is(err, kv.ErrNotFound) {
		t.Error(err)
	}
	if _, err := s.ImportEvents(t.Context(), "big", all[:1]); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
