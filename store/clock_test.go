package store

import (
	"fmt"
	"testing"
	"time"

	"techo/store/memo"
)

// TestDatabaseClock adds memos from two machines whose clocks are wrong by an hour. The
// clock of the database orders them.
func TestDatabaseClock(t *testing.T) {
	address := newDatabase(t)
	began := time.Now()
	var stores []*Store
	for _, wrong := range []time.Duration{time.Hour, -time.Hour} {
		now := func() time.Time { return time.Now().Add(wrong) }
		stores = append(stores, openWithClock(t, address, Options{Write: true, Now: now}))
	}
	var last time.Time
	for i := range 6 {
		m, err := stores[i%2].AddMemo(t.Context(), memo.Memo{Name: fmt.Sprint("memo ", i), Content: "x", Priority: 1})
		if err != nil {
			t.Fatal(err)
		}
		if ahead := m.CreatedAt.Sub(began); ahead.Abs() > time.Minute*10 {
			t.Errorf("memo %d is %s from the right time", i, ahead)
		}
		if m.UpdatedAt.Before(last) {
			t.Errorf("memo %d: %s is before %s", i, m.UpdatedAt, last)
		}
		last = m.UpdatedAt
	}
	given := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	s := open(t, address, Options{Write: true, Now: func() time.Time { return given }})
	m, err := s.AddMemo(t.Context(), memo.Memo{Name: "given", Content: "x", Priority: 1})
	if err != nil || !m.CreatedAt.Equal(given) {
		t.Errorf("with a time that was given: %s, %v", m.CreatedAt, err)
	}
}

// TestClockWrongOnce writes once with a clock far ahead. Later changes have the right time
// again. After a moment of a clock they follow the last change.
func TestClockWrongOnce(t *testing.T) {
	now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	s := openWithClock(t, t.TempDir(), Options{Write: true, Now: func() time.Time { return now }})
	add := func(name string, at, want time.Time) {
		t.Helper()
		now = at
		m, err := s.AddMemo(t.Context(), memo.Memo{Name: name, Content: "x", Priority: 1})
		if err != nil || !m.UpdatedAt.Equal(want) {
			t.Errorf("%s at %s: %s, want %s, %v", name, at, m.UpdatedAt, want, err)
		}
	}
	start := now
	add("first", start, start)
	add("a moment back", start.Add(-time.Second), start.Add(time.Millisecond))
	wrong := start.AddDate(73, 0, 0)
	add("wrong", wrong, wrong)
	for i := range 3 {
		right := start.Add(time.Duration(i+1) * time.Second)
		add(fmt.Sprint("right ", i), right, right)
	}
}

// later returns the later one of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
