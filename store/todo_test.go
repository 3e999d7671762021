package store

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// daily is a to-do of every day, due at 09:00 UTC.
func daily(title string) Todo {
	return Todo{Event: Event{Title: title, Calendar: DefaultCalendar, Status: NeedsAction, Zone: "UTC",
		Start: wall("2026-01-05 09:00"), Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=3"}}, Starts: true, HasDue: true}
}

// todoStates lists the to-dos of the default calendar as texts.
func todoStates(t *testing.T, s *Store) string {
	t.Helper()
	all, err := TodosOf(s).In(t.Context(), DefaultCalendar, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]int{}
	for _, o := range all {
		text[fmt.Sprintf("%s %s %s", o.Title, o.DueWall().Format("02"), o.Status)]++
	}
	return fmt.Sprint(text)
}

// TestTodoSeries completes the occurrences of a series one by one, undoes it, and
// removes the series.
func TestTodoSeries(t *testing.T) {
	s := newStore(t)
	todos := TodosOf(s)
	o, err := todos.Add(t.Context(), daily("a"), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	states := []string{todoStates(t, s)}
	for i := range 4 {
		if _, _, err := todos.Complete(t.Context(), o.ID, s.time(), time.UTC); err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
		if now := todoStates(t, s); i < 3 {
			states = append(states, now)
		} else if now != states[3] {
			t.Errorf("completed again: %s, before %s", now, states[3])
		}
	}
	want := []string{"map[a 05 needs-action:1]", "map[a 05 completed:1 a 06 needs-action:1]",
		"map[a 05 completed:1 a 06 completed:1 a 07 needs-action:1]",
		"map[a 05 completed:2 a 06 completed:1 a 07 completed:1]"}
	for i := range want {
		if states[i] != want[i] {
			t.Errorf("after %d: %s, want %s", i, states[i], want[i])
		}
	}
	for i := 2; i >= 0; i-- {
		if _, err := HistoryOf(s).Undo(t.Context(), "", HistoryFilter{}); err != nil {
			t.Fatal(err)
		}
		if now := todoStates(t, s); now != want[i] {
			t.Errorf("undone: %s, want %s", now, want[i])
		}
		wantSound(t, s)
	}
	if _, err := todos.Remove(t.Context(), o.ID, time.UTC); err != nil {
		t.Fatal(err)
	}
	if r := wantSound(t, s); r.Counts["todos"] != 0 {
		t.Errorf("%d left", r.Counts["todos"])
	}
}

// TestTodoRecord encodes and decodes to-dos with all fields.
func TestTodoRecord(t *testing.T) {
	for _, todo := range []Todo{daily("x"), {Event: Event{ID: "b", Status: Completed, Form: AllDay, Days: 2},
		Starts: true, HasDue: true, Priority: 9, Percent: 100, CompletedAt: time.UnixMilli(1_700_000_000_123)}} {
		todo.ID = "i"
		b := recordOfTodo(&todo)
		back, err := readTodo(todo.Calendar, b)
		if err != nil || string(recordOfTodo(&back)) != string(b) || back.Priority != todo.Priority ||
			!back.CompletedAt.Equal(todo.CompletedAt) || back.Starts != todo.Starts || back.HasDue != todo.HasDue {
			t.Errorf("%+v became %+v, %v", todo, back, err)
		}
		for n := range b {
			_, _ = readTodo("", b[:n]) // must not panic
		}
	}
}

// TestTodoDamage damages the records and indexes of to-dos, and repairs them.
func TestTodoDamage(t *testing.T) {
	for name, damage := range map[string]func(*Tx, *Todo) error{
		"place gone":  func(tx *Tx, t *Todo) error { return tx.Delete(todoPlaceKey(t.ID)) },
		"place left":  func(tx *Tx, _ *Todo) error { return tx.Put(todoPlaceKey("x"), []byte(DefaultCalendar)) },
		"uid gone":    func(tx *Tx, t *Todo) error { return tx.Delete(todoUIDKey(t.Calendar, t.UID, "")) },
		"record gone": func(tx *Tx, t *Todo) error { return tx.Delete(todoKey(t.Calendar, t.ID)) },
		"broken":      func(tx *Tx, t *Todo) error { return tx.Put(todoKey(t.Calendar, t.ID), []byte{1, 0}) },
		"wrong key":   func(tx *Tx, t *Todo) error { return tx.Put(todoKey(t.Calendar, "y"), recordOfTodo(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			o, err := TodosOf(s).Add(t.Context(), daily("a"), time.UTC)
			if err == nil {
				_, err = TodosOf(s).Add(t.Context(), daily("b"), time.UTC)
			}
			if err == nil {
				err = s.maintain(t.Context(), func(tx *Tx) error { return damage(tx, o.Todo) })
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*FindingError)) {
				t.Fatalf("not found: %v", err)
			}
			if _, err := repairTodos(withoutHistory(t.Context()), s); err != nil {
				t.Fatal(err)
			}
			if r := wantSound(t, s); r.Counts["todos"] < 1 {
				t.Errorf("%d left", r.Counts["todos"])
			}
		})
	}
}
