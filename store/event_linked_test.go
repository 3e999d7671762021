package store

import (
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
)

// linked reports whether imports into the default calendar may expect that a new series
// has no replaced occurrences.
func linked(t *testing.T, s *Store) bool {
	t.Helper()
	c, err := s.FindCalendar(t.Context(), event.DefaultCalendar)
	if err != nil {
		t.Fatal(err)
	}
	return c.Linked
}

// TestOccurrenceBeforeSeries imports an event that replaces an occurrence before its
// series, and one whose series was removed: the series that comes later knows both.
func TestOccurrenceBeforeSeries(t *testing.T) {
	series := event.Event{UID: "u", Title: "a", Start: wall("2026-01-05 10:00"), Zone: "UTC", Length: time.Hour,
		Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=3"}, Status: event.Confirmed}
	replaced := series
	replaced.Title, replaced.Recurrence, replaced.RecurrenceID = "x", nil, "20260106T100000Z"
	replaced.Start = wall("2026-01-06 15:00")
	for name, before := range map[string]func(*testing.T, *Store){
		"first": func(t *testing.T, s *Store) { mustImport(t, s, replaced) },
		"series removed": func(t *testing.T, s *Store) {
			mustImport(t, s, series, replaced)
			if !linked(t, s) {
				t.Error("a series with its occurrences: not linked")
			}
			err := s.Update(t.Context(), func(tx *ledger.Tx) error {
				e := event.NewTx(tx)
				master, err := e.ByUID(event.DefaultCalendar, "u", "")
				if err == nil {
					err = e.Put(&master, nil)
				}
				if err == nil {
					err = e.Save()
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			before(t, s)
			if linked(t, s) {
				t.Error("an occurrence without its series: linked")
			}
			wantSound(t, s)
			mustImport(t, s, series)
			wantSound(t, s)
			wantShown(t, s, "2026-01-01 00:00", "2026-02-01 00:00", "01-05 10:00 a", "01-06 15:00 x", "01-07 10:00 a")
		})
	}
}

func mustImport(t *testing.T, s *Store, all ...event.Event) {
	t.Helper()
	if _, err := s.ImportEvents(t.Context(), event.DefaultCalendar, all); err != nil {
		t.Fatal(err)
	}
}

// TestLinkedRandom imports, edits, removes and undoes in any order. The audit compares
// Calendar.Linked with the events.
func TestLinkedRandom(t *testing.T) {
	t.Parallel()
	random := testenv.Random(t)
	for range 20 {
		s := newStore(t)
		var all []event.Event
		for _, uid := range []string{"u", "v", "w"} {
			series := event.Event{UID: uid, Title: uid, Start: wall("2026-01-05 10:00"), Zone: "UTC", Length: time.Hour,
				Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=4"}, Status: event.Confirmed}
			one := series
			one.Recurrence, one.RecurrenceID = nil, "20260106T100000Z"
			all = append(all, series, one)
		}
		for range 12 {
			events, err := s.FindEvents(t.Context(), event.Query{From: wall("2026-01-01 00:00"),
				To: wall("2026-02-01 00:00"), Zone: time.UTC})
			if err != nil {
				t.Fatal(err)
			}
			scope := event.Scope(random.IntN(3))
			switch n := len(events.Occurrences); {
			case n == 0 || random.IntN(3) == 0:
				some := slices.Clone(all)
				random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
				mustImport(t, s, some[:1+random.IntN(3)]...)
			case random.IntN(3) == 0:
				_, _ = s.EditEvent(t.Context(), events.Occurrences[random.IntN(n)].ID(), scope,
					event.Write{Zone: time.UTC}, retitle("b"))
			case random.IntN(2) == 0:
				_, _ = s.RemoveEvent(t.Context(), events.Occurrences[random.IntN(n)].ID(), scope, time.UTC)
			default:
				_, _ = history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{})
			}
			wantSound(t, s)
		}
	}
}
