package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// daily is a to-do of every day, due at 09:00 UTC.
func daily(title string) todo.Todo {
	return todo.Todo{Event: event.Event{Title: title, Calendar: event.DefaultCalendar, Status: todo.NeedsAction,
		Zone:  "UTC",
		Start: wall("2026-01-05 09:00"), Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=3"}}, Starts: true, HasDue: true}
}

// TestTodoRecord encodes and decodes to-dos with all fields.
func TestTodoRecord(t *testing.T) {
	for _, one := range []todo.Todo{daily("x"), {Event: event.Event{ID: "b", Status: todo.Completed, Form: event.AllDay,
		Days: 2},
		Starts: true, HasDue: true, Priority: 9, Percent: 100, CompletedAt: time.UnixMilli(1_700_000_000_123)}} {
		one.ID = "i"
		b := todo.RecordOf(&one)
		back, err := todo.ReadTodo(one.Calendar, b)
		if err != nil || string(todo.RecordOf(&back)) != string(b) || back.Priority != one.Priority ||
			!back.CompletedAt.Equal(one.CompletedAt) || back.Starts != one.Starts || back.HasDue != one.HasDue {
			t.Errorf("%+v became %+v, %v", one, back, err)
		}
		for n := range b {
			_, _ = todo.ReadTodo("", b[:n]) // must not panic
		}
	}
}

// TestTodoDamage damages the records and indexes of to-dos, and repairs them.
func TestTodoDamage(t *testing.T) {
	for name, damage := range map[string]func(*ledger.Tx, *todo.Todo) error{
		"place gone": func(tx *ledger.Tx, t *todo.Todo) error { return tx.Delete(todo.PlaceKey(t.ID)) },
		"place left": func(tx *ledger.Tx, _ *todo.Todo) error {
			return tx.Put(todo.PlaceKey("x"), []byte(event.DefaultCalendar))
		},
		"uid gone": func(tx *ledger.Tx, t *todo.Todo) error {
			return tx.Delete(todo.UIDKey(t.Calendar, t.UID,
				""))
		},
		"record gone": func(tx *ledger.Tx, t *todo.Todo) error { return tx.Delete(todo.Key(t.Calendar, t.ID)) },
		"broken": func(tx *ledger.Tx, t *todo.Todo) error {
			return tx.Put(todo.Key(t.Calendar, t.ID),
				[]byte{1, 0})
		},
		"wrong key": func(tx *ledger.Tx, t *todo.Todo) error {
			return tx.Put(todo.Key(t.Calendar, "y"), todo.RecordOf(t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			o, err := todo.Of(s.Ledger).Add(t.Context(), daily("a"), time.UTC)
			if err == nil {
				_, err = todo.Of(s.Ledger).Add(t.Context(), daily("b"), time.UTC)
			}
			if err == nil {
				err = s.Maintain(t.Context(), func(tx *ledger.Tx) error { return damage(tx, o.Todo) })
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*ledger.FindingError)) {
				t.Fatalf("not found: %v", err)
			}
			repair := todo.Schema(ledger.Recorded{}).Repair
			if _, err := repair(ledger.WithoutHistory(t.Context()), s.Ledger); err != nil {
				t.Fatal(err)
			}
			if r := wantSound(t, s); r.Counts["todos"] < 1 {
				t.Errorf("%d left", r.Counts["todos"])
			}
		})
	}
}

// TestTodoLate completes a series late: it goes on to the first occurrence that is not past, as
// counted by hand, or with Every to the one after it.
func TestTodoLate(t *testing.T) {
	random := testenv.Random(t)
	for range testenv.Pick(20, 100) {
		s := newStore(t)
		every, late, count := 1+random.IntN(5), random.IntN(40), 2+random.IntN(20)
		draft := daily("a")
		draft.Recurrence = []string{fmt.Sprintf("RRULE:FREQ=DAILY;INTERVAL=%d;COUNT=%d", every, count)}
		draft.Days = random.IntN(3) // from the start until it is due
		o, err := todo.Of(s.Ledger).Add(t.Context(), draft, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		due := func(i int) time.Time { return draft.Start.AddDate(0, 0, i*every+draft.Days) }
		at := due(0).Add(time.Duration(late)*24*time.Hour + time.Duration(random.IntN(48)-24)*time.Hour)
		keep := random.IntN(3) == 0
		want := 1
		for !keep && want < count && due(want).Before(at) {
			want++
		}
		c, err := todo.Of(s.Ledger).Complete(t.Context(), o.ID, todo.How{At: at, Every: keep}, time.UTC)
		switch {
		case err != nil:
			t.Fatal(err)
		case c.Skipped != want-1 || c.Next.Open() != (want < count):
			t.Errorf("%v at %s: skipped %d, want %d; open %v", draft.Recurrence, at, c.Skipped, want-1, c.Next.Open())
		case c.Next.Open() && !c.Next.DueWall().Equal(due(want)):
			t.Errorf("%v at %s: next %s, want %s", draft.Recurrence, at, c.Next.DueWall(), due(want))
		}
		wantSound(t, s)
	}
}

// TestPeriod counts periods from the end of a month, and reads only what it wrote.
func TestPeriod(t *testing.T) {
	for text, want := range map[string]string{"P3D": "2024-02-03", "P2W": "2024-02-14", "P1M": "2024-02-29",
		"P13M": "2025-02-28", "P1Y": "2025-01-31"} {
		one := todo.Todo{Event: event.Event{Extra: []string{"X-TECHO-AFTER-DONE:" + text}}}
		p, ok := one.AfterDone()
		if got := p.After(wall("2024-01-31 00:00")).Format(time.DateOnly); !ok || p.String() != text || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "P", "PD", "P0D", "P-1D", "P1000D", "P1S", "3D", "P1DT2H"} {
		one := todo.Todo{Event: event.Event{Extra: []string{"X-TECHO-AFTER-DONE:" + text}}}
		if p, ok := one.AfterDone(); ok {
			t.Errorf("%q: %v", text, p)
		}
	}
}

// TestTodosOfFormerVersion reads and changes to-dos of a version that had no order of them, which also adds
// one later.
func TestTodosOfFormerVersion(t *testing.T) {
	s := newStore(t)
	var ids []string
	for i := range 3 {
		draft := daily("a")
		draft.Recurrence, draft.Start = nil, draft.Start.AddDate(0, 0, -i)
		o, err := todo.Of(s.Ledger).Add(t.Context(), draft, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.ID)
	}
	age := func() {
		err := s.Maintain(t.Context(), func(tx *ledger.Tx) error {
			for _, p := range []ledger.Prefix{"cl", "cw", "cx"} {
				if err := tx.DeletePrefix(p.All()); err != nil {
					return err
				}
			}
			_, places, err := tx.ReadMany(nil, []kv.Range{{Prefix: todo.Places.All()}})
			for _, p := range places[0] {
				err = errors.Join(err, tx.Delete(p.Key),
					tx.Put(todo.FormerPlaces.Key(string(ledger.Rest(p.Key))), p.Value))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
	}
	first := func() error {
		found, err := todo.Of(s.Ledger).Find(t.Context(), event.DefaultCalendar, todo.Query{Open: true, First: 1}, time.UTC)
		if err == nil && (!slices.ContainsFunc(found.Todos, func(o todo.Occurrence) bool { return o.ID == ids[2] }) ||
			len(found.Todos)+found.Omitted != 3) {
			err = fmt.Errorf("%+v", found)
		}
		return err
	}
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"find", first},
		{"get", func() error {
			_, err := todo.Of(s.Ledger).Get(t.Context(), ids[0], time.UTC)
			return err
		}},
		{"beginning", func() error {
			found, err := s.Beginning(t.Context(), ledger.KindTodo, "", ids[0][:6], 2)
			if err == nil && len(found) != 1 {
				err = errors.New("not found")
			}
			return err
		}},
		{"edit", func() error {
			_, err := todo.Of(s.Ledger).Edit(t.Context(), ids[0], time.UTC,
				func(o *todo.Occurrence) error { o.Title += "b"; return nil })
			return err
		}},
		{"group", func() error {
			return s.Group(t.Context(), func(ctx context.Context) error {
				_, err := todo.Of(s.Ledger).Complete(ctx, ids[1], todo.How{At: s.Now()}, time.UTC)
				return err
			})
		}},
		{"remove", func() error {
			_, err := todo.Of(s.Ledger).Remove(t.Context(), ids[2], time.UTC)
			return err
		}},
		{"undo", func() error {
			_, err := history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{})
			return err
		}},
	} {
		age()
		if err := c.call(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		wantSound(t, s)
	}
}
