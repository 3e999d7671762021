package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"techo/internal/testenv"
	"techo/internal/zone"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, ok := zone.Find(name)
	if !ok {
		t.Fatal(name)
	}
	return loc
}

func wall(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return t
}

func mustAddEvent(t *testing.T, s *Store, e event.Event) event.Written {
	t.Helper()
	if e.Calendar == "" {
		e.Calendar = event.DefaultCalendar
	}
	if e.Status == "" {
		e.Status = event.Confirmed
	}
	w, err := s.AddEvent(t.Context(), e, event.Write{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// shown lists the occurrences of a time, as texts.
func shown(t *testing.T, s *Store, from, to string) []string {
	t.Helper()
	found, err := s.FindEvents(t.Context(), event.Query{From: wall(from), To: wall(to), Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, o := range found.Occurrences {
		all = append(all, o.From.UTC().Format("01-02 15:04 ")+o.Title)
	}
	return all
}

func wantShown(t *testing.T, s *Store, from, to string, want ...string) {
	t.Helper()
	if got := shown(t, s, from, to); !slices.Equal(got, want) {
		t.Errorf("%s to %s:\ngot  %q\nwant %q", from, to, got, want)
	}
}

// expand returns the occurrences between two instants. It looks at each event,
// without an index.
func expand(x *event.Tx, all []event.Event, from, to time.Time, here *time.Location) (found []string) {
	for _, e := range all {
		home := x.Location(&e, here)
		if !e.Recurs() {
			if a, b := e.Span(e.Start, home); event.Overlaps(a, b, from, to) {
				found = append(found, e.UID+a.UTC().String())
			}
			continue
		}
		expander := x.Expander(&e, home)
		for _, r := range expander.Rules {
			r.Walk(e.Start, to.Add(event.Slack), func(w time.Time) bool {
				if a, b := e.Span(w, home); event.Overlaps(a, b, from, to) {
					found = append(found, e.UID+a.UTC().String())
				}
				return true
			})
		}
	}
	return found
}

// randomEvents returns events of all forms in 2026, a third of them recurring.
func randomEvents(random *rand.Rand, n int) (all []event.Event) {
	zones := []string{"UTC", "Asia/Tokyo", "America/New_York", "Pacific/Apia"}
	rules := []string{"FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY",
		"FREQ=DAILY;COUNT=9", "FREQ=WEEKLY;UNTIL=20270101T000000Z", "FREQ=HOURLY;INTERVAL=7;COUNT=50",
		"FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=2"}
	for i := range n {
		e := event.Event{Calendar: event.DefaultCalendar, UID: fmt.Sprint("uid", i), Title: fmt.Sprint("e", i),
			Status: event.Confirmed,
			Start:  wall("2026-01-01 00:00").Add(time.Duration(random.IntN(365*96)) * 15 * time.Minute)}
		switch random.IntN(4) {
		case 0:
			e.Form, e.Start, e.Days = event.AllDay, e.Start.Truncate(24*time.Hour), 1+random.IntN(3)
		case 1:
			e.Form, e.Length = event.Floating, time.Duration(random.IntN(300))*time.Minute
		default:
			e.Zone, e.Length = zones[random.IntN(4)], time.Duration(1<<random.IntN(14))*time.Minute
		}
		if random.IntN(3) == 0 {
			e.Recurrence = []string{"RRULE:" + rules[random.IntN(len(rules))]}
		}
		all = append(all, e)
	}
	return all
}

// TestEventsRandom compares queries with the slower way: every event is asked.
func TestEventsRandom(t *testing.T) {
	random := testenv.Random(t)
	s := newStore(t)
	all := randomEvents(random, 300)
	if n, err := s.ImportEvents(t.Context(), event.DefaultCalendar, all); err != nil || n.Added != 300 {
		t.Fatal(n, err)
	}
	if n, err := s.ImportEvents(t.Context(), event.DefaultCalendar, all); err != nil || n.Unchanged != 300 {
		t.Fatal("importing twice", n, err)
	}
	wantSound(t, s)
	here := mustZone(t, "America/Sao_Paulo")
	helper := event.NewTx(ledger.NewTx(s.Ledger, nil))
	for range 100 {
		from := wall("2025-12-01 00:00").Add(time.Duration(random.IntN(500*24*4)) * 15 * time.Minute)
		to := from.Add(time.Duration(1+random.IntN(96*20)) * 15 * time.Minute)
		want := expand(helper, all, from, to, here)
		var got []string
		found, err := s.FindEvents(t.Context(), event.Query{From: from, To: to, Zone: here})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range found.Occurrences {
			got = append(got, o.UID+o.From.UTC().String())
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%v to %v:\ngot  %q\nwant %q", from, to, got, want)
		}
	}
}

func retitle(title string) func(*event.Event) error {
	return func(e *event.Event) error { e.Title = title; return nil }
}

func mustEdit(t *testing.T, s *Store, id string, scope event.Scope, change func(*event.Event) error) {
	t.Helper()
	if _, err := s.EditEvent(t.Context(), id, scope, event.Write{Zone: time.UTC}, change); err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
}

func newSeries(t *testing.T, rule string) (*Store, string) {
	t.Helper()
	s := newStore(t)
	w := mustAddEvent(t, s, event.Event{Title: "a", Start: wall("2026-01-05 10:00"), Zone: "UTC", Length: time.Hour,
		Recurrence: []string{"RRULE:" + rule}})
	return s, w.Event.ID
}

// TestScopes edits and removes one occurrence, an occurrence and all that
// follow, and a whole series.
func TestScopes(t *testing.T) {
	t.Run("this", func(t *testing.T) {
		s, id := newSeries(t, "FREQ=DAILY;COUNT=4")
		mustEdit(t, s, id+"_20260106T100000Z", event.This,
			func(e *event.Event) error { e.Start = wall("2026-01-06 15:00"); e.Title = "b"; return nil })
		wantShown(t, s, "2026-01-01 00:00", "2026-02-01 00:00", "01-05 10:00 a", "01-06 15:00 b", "01-07 10:00 a",
			"01-08 10:00 a")
		mustEdit(t, s, id+"_20260106T100000Z", event.This, retitle("c"))
		mustEdit(t, s, id+"_20260107T100000Z", event.All, retitle("d"))
		wantShown(t, s, "2026-01-01 00:00", "2026-02-01 00:00", "01-05 10:00 d", "01-06 15:00 c", "01-07 10:00 d",
			"01-08 10:00 d")
		if _, err := s.RemoveEvent(t.Context(), id+"_20260106T100000Z", event.This, time.UTC); err != nil {
			t.Fatal(err)
		}
		wantShown(t, s, "2026-01-01 00:00", "2026-02-01 00:00", "01-05 10:00 d", "01-07 10:00 d", "01-08 10:00 d")
		for _, day := range []string{"05", "07", "08"} {
			if _, err := s.RemoveEvent(t.Context(), id+"_202601"+day+"T100000Z", event.This, time.UTC); err != nil {
				t.Fatal(err)
			}
			wantSound(t, s)
		}
		if _, err := s.GetEvent(t.Context(), id, time.UTC); !errors.As(err, new(*ledger.NotFoundError)) {
			t.Errorf("a series without an occurrence is left: %v", err)
		}
	})
	t.Run("following", func(t *testing.T) {
		s, id := newSeries(t, "FREQ=DAILY;COUNT=5")
		mustEdit(t, s, id+"_20260108T100000Z", event.This, retitle("x"))
		mustEdit(t, s, id+"_20260107T100000Z", event.Following,
			func(e *event.Event) error { e.Start = e.Start.Add(time.Hour); e.Title = "b"; return nil })
		wantShown(t, s, "2026-01-01 00:00", "2026-02-01 00:00", "01-05 10:00 a", "01-06 10:00 a", "01-07 11:00 b",
			"01-08 10:00 x", "01-09 11:00 b")
		if _, err := s.RemoveEvent(t.Context(), id+"_20260106T100000Z", event.Following, time.UTC); err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
		wantShown(t, s, "2026-01-01 00:00", "2026-01-07 00:00", "01-05 10:00 a")
	})
	t.Run("all", func(t *testing.T) {
		s, id := newSeries(t, "FREQ=WEEKLY")
		mustEdit(t, s, id+"_20260112T100000Z", event.This, retitle("x"))
		mustEdit(t, s, id+"_20260119T100000Z", event.All,
			func(e *event.Event) error { e.Start = e.Start.Add(24 * time.Hour); return nil })
		wantShown(t, s, "2026-01-01 00:00", "2026-01-29 00:00", "01-06 10:00 a", "01-13 10:00 x", "01-20 10:00 a",
			"01-27 10:00 a")
		mustEdit(t, s, id, event.All,
			func(e *event.Event) error { e.Recurrence = []string{"RRULE:FREQ=DAILY;COUNT=2"}; return nil })
		if _, err := s.RemoveEvent(t.Context(), id, event.All, time.UTC); err != nil {
			t.Fatal(err)
		}
		wantShown(t, s, "2026-01-01 00:00", "2027-01-29 00:00")
		wantSound(t, s)
	})
}

// TestIfFree lets twenty at once ask for the same time.
func TestIfFree(t *testing.T) {
	dir := newPlace(t)
	openStore(t, dir, true).Close()
	var group sync.WaitGroup
	won := make(chan string, 20)
	for i := range 20 {
		group.Go(func() {
			s := openStore(t, dir, true)
			e := event.Event{Title: fmt.Sprint(i), Calendar: event.DefaultCalendar, Status: event.Confirmed,
				Start: wall("2026-01-12 10:30"), Zone: "UTC", Length: time.Hour}
			w, err := s.AddEvent(t.Context(), e, event.Write{Zone: time.UTC, IfFree: true})
			switch {
			case err == nil:
				won <- w.Title
			case !errors.As(err, new(*event.ConflictError)):
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(won) != 1 {
		t.Errorf("%d got the same time", len(won))
	}
}

// TestEventTaken adds two events of one UID to a calendar, which only a series and its exceptions may be.
func TestEventTaken(t *testing.T) {
	s := newStore(t)
	e := event.Event{UID: "one", Title: "a", Start: wall("2026-01-05 10:00"), Zone: "UTC", Length: time.Hour}
	mustAddEvent(t, s, e)
	e.Calendar, e.Status = event.DefaultCalendar, event.Confirmed
	if _, err := s.AddEvent(t.Context(), e, event.Write{Zone: time.UTC}); !errors.As(err, new(*ledger.TakenError)) {
		t.Error(err)
	}
	wantSound(t, s)
}

func TestEventsRot(t *testing.T) {
	for name, space := range map[string]ledger.Prefix{"record": event.SingleRecords, "series": event.SeriesRecords,
		"entry": event.SeriesFilters,
		"place": event.Places,
		"uid":   event.UIDs, "counts": event.Calendars} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			mustAddEvent(t, s, event.Event{Title: "a", Start: wall("2026-01-05 10:00"), Zone: "UTC", Length: time.Hour})
			mustAddEvent(t, s, event.Event{Title: "b", Start: wall("2026-01-05 10:00"), Zone: "UTC", Length: time.Hour,
				Recurrence: []string{"RRULE:FREQ=DAILY"}})
			wantSound(t, s)
			err := s.Maintain(t.Context(), func(tx *ledger.Tx) error {
				var key []byte
				for item, err := range tx.Scan(kv.Range{Prefix: space.All()}) {
					if err != nil {
						return err
					}
					key = slices.Clone(item.Key)
				}
				return tx.Delete(key)
			})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*kv.CorruptError)) {
				t.Errorf("%+v, %v", r, err)
			}
			if name == "record" || name == "series" {
				return
			}
			if _, err := calendar.Repair(t.Context(), s.Ledger); err != nil {
				t.Fatal(err)
			}
			wantSound(t, s)
			if got := shown(t, s, "2026-01-05 00:00", "2026-01-06 00:00"); strings.Join(got,
				",") != "01-05 10:00 a,01-05 10:00 b" {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestEventRecord pins the format on disk: later versions must read it.
func TestEventRecord(t *testing.T) {
	e := event.Event{
		ID: "id", UID: "uid", Calendar: "c", Title: "title", Location: "l", Description: "説明",
		Start: wall("2026-01-05 10:00"), Form: event.Timed, Zone: "Asia/Tokyo", ZoneRules: "rules",
		Days: 1, Length: time.Hour, Recurrence: []string{"RRULE:FREQ=DAILY", "EXDATE:20260106T010000Z"},
		RecurrenceID: "20260105T010000Z", Exceptions: []string{"x", "y"},
		Status: event.Tentative, Free: true, Pending: true, Group: "g", Expires: time.UnixMilli(5), Sequence: 3,
		Extra: []string{"URL:x"}, CreatedAt: time.UnixMilli(-7), UpdatedAt: time.UnixMilli(8),
	}
	b := event.RecordOf(&e)
	want := "\x01i\x02idu\x03uidt\x05titlel\x01ld\x06説明s\x05\xc0\xae\xdc\x95\rz\n" +
		"Asia/TokyoZ\x05rulesD\x01\x02L\x02\xa08r\x10RRULE:FREQ=DAILYr\x17EXDATE:20260106T010000Zo" +
		"\x1020260105T010000Zx\x01xx\x01yS\ttentativeb\x01\ng\x01ge\x01\nn\x01\x06X\x05URL:xc\x01\rm\x01\x10"
	if string(b) != want {
		t.Errorf("%q", b)
	}
	got, err := event.Read("c", append(b, 'q', 2, 'n', 'o')) // and a field of a newer form
	if err != nil {
		t.Fatal(err)
	}
	if e.Etag = got.Etag; !reflect.DeepEqual(got, e) {
		t.Errorf("%+v", got)
	}
}

func FuzzEventRecord(f *testing.F) {
	f.Add(event.RecordOf(&event.Event{ID: "id", Title: "title", Start: wall("2026-01-05 10:00")}))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := event.Read("c", b)
		if err != nil {
			return
		}
		again, err := event.Read("c", event.RecordOf(&e))
		if again.Etag = e.Etag; err != nil || !reflect.DeepEqual(e, again) {
			t.Fatalf("%+v\n%+v, %v", e, again, err)
		}
	})
}
