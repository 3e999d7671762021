package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// mustRename renames a calendar and checks the store.
func mustRename(t *testing.T, s *Store, name, to string) {
	t.Helper()
	if c, err := s.RenameCalendar(t.Context(), name, to); err != nil || c.Name != to {
		t.Fatalf("%s to %s: %+v, %v", name, to, c, err)
	}
	wantSound(t, s)
}

// titlesIn returns the titles of the events of a calendar by EachEvent and of its to-dos,
// sorted. It fails if a record names another calendar.
func titlesIn(t *testing.T, s *Store, calendar string) (all []string) {
	t.Helper()
	err := s.EachEvent(t.Context(), calendar, func(e event.Event) error {
		if found, err := s.GetEvent(t.Context(), e.ID, time.UTC); err != nil || found.Calendar != calendar {
			return fmt.Errorf("%s: %+v, %w", e.ID, found, err)
		}
		all = append(all, e.Title)
		return nil
	})
	if err == nil {
		err = todo.Of(s.Ledger).Each(t.Context(), calendar, func(task todo.Todo) error {
			found, err := todo.Of(s.Ledger).Get(t.Context(), task.ID, time.UTC)
			if err != nil || found.Calendar != calendar || task.Calendar != calendar {
				return fmt.Errorf("%s: %+v, %w", task.ID, found, err)
			}
			all = append(all, task.Title)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func wantTitles(t *testing.T, s *Store, calendar string, want ...string) {
	t.Helper()
	if got := titlesIn(t, s, calendar); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", calendar, got, want)
	}
	found, err := s.FindEvents(t.Context(), event.Query{Calendars: []string{calendar}, From: wall("2026-01-01 00:00"),
		To: wall("2027-01-01 00:00"), Zone: time.UTC})
	if err != nil {
		t.Error(err)
	}
	for _, o := range found.Occurrences {
		if !slices.Contains(want, o.Title) || o.Calendar != calendar {
			t.Errorf("%s: found %s in %s", calendar, o.Title, o.Calendar)
		}
	}
}

func mustAddTo(t *testing.T, s *Store, calendar, title string) event.Written {
	t.Helper()
	return mustAddEvent(t, s, event.Event{Calendar: calendar, Title: title, Zone: "UTC",
		Start:  wall("2026-01-05 09:00"),
		Length: time.Hour})
}

// TestRenameLargeCalendar renames a calendar of 20,000 events. It writes few keys.
func TestRenameLargeCalendar(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var all []event.Event
	count := testenv.Pick(5_000, 20_000)
	for i := range count {
		all = append(all, event.Event{UID: fmt.Sprint("e", i), Title: "x", Status: event.Confirmed, Zone: "UTC",
			Start: wall("2026-01-05 09:00").Add(time.Duration(i) * time.Hour), Length: time.Hour})
	}
	all[0].Recurrence = []string{"RRULE:FREQ=DAILY;COUNT=3"}
	if _, err := s.ImportEvents(t.Context(), "work", all); err != nil {
		t.Fatal(err)
	}
	task := daily("a")
	task.Calendar = "work"
	if _, err := todo.Of(s.Ledger).Add(t.Context(), task, time.UTC); err != nil {
		t.Fatal(err)
	}
	before := keysOf(t, s)
	mustRename(t, s, "work", "office")
	changed := 0
	after := keysOf(t, s)
	for key, value := range after {
		if before[key] != value {
			changed++
		}
	}
	for key := range before {
		if _, ok := after[key]; !ok {
			changed++
		}
	}
	if changed > 5 {
		t.Errorf("%d keys changed", changed)
	}
	if n := len(titlesIn(t, s, "office")); n != count+1 {
		t.Errorf("%d records", n)
	}
	if _, err := s.FindCalendar(t.Context(), "work"); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("the old name: %v", err)
	}
	n, err := s.ImportEvents(t.Context(), "office", all[:10])
	if err != nil || n.Unchanged != 10 {
		t.Errorf("the same events again: %+v, %v", n, err)
	}
}

func keysOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := s.View(t.Context(), func(tx *ledger.Tx) error {
		clear(all)
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			all[string(p.Key)] = string(bytes.Clone(p.Value))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRenameCalendarAgain exchanges the names of two calendars and gives the name of a
// renamed one to a new one.
func TestRenameCalendarAgain(t *testing.T) {
	s := newStore(t)
	mustAddTo(t, s, "a", "first")
	mustAddTo(t, s, "b", "second")
	mustRename(t, s, "a", "c")
	mustRename(t, s, "b", "a")
	mustRename(t, s, "c", "b")
	wantTitles(t, s, "b", "first")
	wantTitles(t, s, "a", "second")
	mustRename(t, s, "b", "d")
	mustAddTo(t, s, "b", "third") // the keys are a and b
	wantTitles(t, s, "d", "first")
	wantTitles(t, s, "a", "second")
	wantTitles(t, s, "b", "third")
	mustRename(t, s, "a", "e")
	mustRename(t, s, "d", "a") // its first name
	wantTitles(t, s, "a", "first")
	if _, err := s.RenameCalendar(t.Context(), "a", "b"); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("a taken name: %v", err)
	}
	if _, err := s.RenameCalendar(t.Context(), "a", event.DefaultCalendar); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("the name of the default calendar: %v", err)
	}
	if _, err := s.SetDefaultCalendar(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	mustRename(t, s, "a", "f")
	if c, err := s.FindCalendar(t.Context(), ""); err != nil || c.Name != "f" {
		t.Errorf("the chosen default is %+v, %v", c, err)
	}
	for _, name := range []string{"f", "e", "b"} {
		if _, err := s.RemoveCalendar(t.Context(), name, true); err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
	}
	if all, err := s.Calendars(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestRenameCalendarWhileOneIsRemoved refuses the name of a calendar whose events are
// not all removed yet.
func TestRenameCalendarWhileOneIsRemoved(t *testing.T) {
	s := newStore(t)
	fillBig(t, s)
	mustAddTo(t, s, "a", "first")
	if _, err := calendar.HideCalendar(t.Context(), s.Ledger, "big", true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RenameCalendar(t.Context(), "a", "big"); !errors.As(err, new(*event.RemovingError)) {
		t.Errorf("%v", err)
	}
	if _, err := s.RenameCalendar(t.Context(), "big", "b"); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("%v", err)
	}
	wantSound(t, s)
	wantTitles(t, s, "a", "first")
}

// TestUndoAfterRename undoes changes that precede a renaming, which stays: under the new
// name, also if another calendar has the old one.
func TestUndoAfterRename(t *testing.T) {
	s, now := openHistory(t, ledger.HistoryLimits{})
	undo := func() ledger.Change {
		t.Helper()
		*now = now.Add(time.Second)
		others := history.Filter{Visible: func(c ledger.Change) bool {
			return c.Records[0].Kind != ledger.KindCalendar
		}}
		c, err := history.Of(s.Ledger).Undo(t.Context(), "", others)
		if err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
		return c
	}
	mustAddTo(t, s, "work", "kept")
	gone := mustAddTo(t, s, "work", "gone")
	task, err := todo.Of(s.Ledger).Add(t.Context(), todo.Todo{Event: event.Event{Calendar: "work", Title: "to do"}},
		time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := todo.Of(s.Ledger).Remove(t.Context(), task.ID, time.UTC); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveEvent(t.Context(), gone.Event.ID, event.This, time.UTC); err != nil {
		t.Fatal(err)
	}
	mustRename(t, s, "work", "office")
	undo() // the removal of the event
	undo() // the removal of the to-do
	wantTitles(t, s, "office", "gone", "kept", "to do")
	if _, err := s.RemoveCalendar(t.Context(), "office", true); err != nil {
		t.Fatal(err)
	}
	undo() // the removal of the calendar
	wantTitles(t, s, "office", "gone", "kept", "to do")
	mustRename(t, s, "office", "shop")
	other := mustAddTo(t, s, "work", "other")
	undo() // the addition of the event to the new calendar
	if _, err := s.GetEvent(t.Context(), other.Event.ID, time.UTC); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("%v", err)
	}
	c := undo() // the addition of the to-do
	d, err := history.Of(s.Ledger).Show(t.Context(), ledger.ChangeID(c.ID), history.Filter{})
	if err != nil || len(d.Records) != 1 || d.Records[0].Before != "" {
		t.Fatalf("%+v, %v", d, err)
	}
	d, err = history.Of(s.Ledger).Show(t.Context(), ledger.ChangeID(c.UndoneBy), history.Filter{})
	if err != nil || len(d.Records) != 1 || !bytes.Contains([]byte(d.Records[0].Before), []byte("calendar: shop\n")) {
		t.Fatalf("%+v, %v", d, err)
	}
	wantTitles(t, s, "shop", "gone", "kept")
}

// TestRepairRenamedCalendar repairs a store that lost the record of a renamed calendar,
// or the entry by its name.
func TestRepairRenamedCalendar(t *testing.T) {
	for what, key := range map[string][]byte{"record": event.CalendarKey("work"),
		"name": event.CalendarNameKey("office")} {
		t.Run(what, func(t *testing.T) {
			s := newStore(t)
			mustAddTo(t, s, "work", "first")
			mustRename(t, s, "work", "office")
			mustAddTo(t, s, "work", "second")
			if err := s.Maintain(t.Context(), func(tx *ledger.Tx) error { return tx.Delete(key) }); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*ledger.FindingError)) {
				t.Errorf("the damage was not found: %v", err)
			}
			if _, err := calendar.Repair(t.Context(), s.Ledger); err != nil {
				t.Fatal(err)
			}
			wantSound(t, s)
			wantTitles(t, s, "office", "first")
			wantTitles(t, s, "work", "second")
		})
	}
}
