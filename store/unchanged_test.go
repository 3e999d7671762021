package store

import (
	"testing"
	"time"

	"techo/store/event"
	"techo/store/history"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/todo"
)

// unchangedFixture is a store whose clock moves on between calls.
func unchangedFixture(t *testing.T) (s *Store, changes func() int) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	s = open(t, newPlace(t), Options{Write: true, Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	return s, func() int {
		page, err := history.Of(s.Ledger).List(t.Context(), history.Filter{Owner: "tanaka", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
}

// must returns a value, or fails the test.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestEditUnchangedMemo: a change that changes nothing keeps the time and adds no change to
// the history, but an expected etag is checked, and an undo reverts the change before.
func TestEditUnchangedMemo(t *testing.T) {
	s, changes := unchangedFixture(t)
	m := must[memo.Memo](t)(s.AddMemo(t.Context(), memo.Memo{Name: "a", Content: "x", Priority: 3,
		Tags: []string{"t"}}))
	m = must[memo.Memo](t)(s.EditMemo(t.Context(), "a", memo.Change{Content: new("y")}))
	before := changes()
	for _, c := range []memo.Change{
		{}, {Content: new("y")}, {Name: new("a"), Priority: new(3), Tags: []string{"t", "t"}, Detail: new("")},
	} {
		got := must[memo.Memo](t)(s.EditMemo(t.Context(), m.ID, c))
		if !sameMemo(got, m) || !sameMemo(must[memo.Memo](t)(s.GetMemo(t.Context(), "a")), m) {
			t.Errorf("%+v changed %+v to %+v", c, m, got)
		}
	}
	if _, err := s.EditMemo(t.Context(), "a", memo.Change{ExpectedEtag: "other"}); err == nil {
		t.Error("the expected etag was not checked")
	}
	if got := changes(); got != before {
		t.Errorf("%d changes in the history, want %d", got, before)
	}
	got := must[memo.Memo](t)(s.EditMemo(t.Context(), "a", memo.Change{Priority: new(4)}))
	if !got.UpdatedAt.After(m.UpdatedAt) {
		t.Error("a real change did not get a time of its own")
	}
}

// TestEditUnchangedMemory is TestEditUnchangedMemo for memories.
func TestEditUnchangedMemory(t *testing.T) {
	s, changes := unchangedFixture(t)
	added := must[[]memory.Added](t)(s.AddMemories(t.Context(), "tanaka",
		[]memory.Draft{memory.NewDrafter().Draft(memory.Memory{
			User: "tanaka", FullText: "Tanaka likes ramen.", Session: "s", Topic: "food"})}))
	m, before := added[0].Memory, changes()
	for _, c := range []memory.Change{
		{}, {FullText: new("Tanaka likes ramen.")}, {Session: new("s"), Topic: new("food"), Caption: new("")},
		{ExpiresAt: &time.Time{}},
	} {
		got := must[memory.Memory](t)(s.EditMemory(t.Context(), "tanaka", m.ID, c))
		if !got.UpdatedAt.Equal(m.UpdatedAt) || got.Caption != m.Caption || got.Session != m.Session {
			t.Errorf("%+v changed %+v to %+v", c, m, got)
		}
	}
	if _, err := s.EditMemory(t.Context(), "tanaka", m.ID, memory.Change{ExpectedEtag: "other"}); err == nil {
		t.Error("the expected etag was not checked")
	}
	if got := changes(); got != before {
		t.Errorf("%d changes in the history, want %d", got, before)
	}
	got := must[memory.Memory](t)(s.EditMemory(t.Context(), "tanaka", m.ID, memory.Change{Session: new("other")}))
	if !got.UpdatedAt.After(m.UpdatedAt) || changes() != before+1 {
		t.Errorf("a real change: %+v", got)
	}
}

// TestEditUnchangedEvent: a change that changes nothing neither adds a version of the event nor
// replaces an occurrence nor divides a series.
func TestEditUnchangedEvent(t *testing.T) {
	s, changes := unchangedFixture(t)
	how := event.Write{Zone: time.UTC}
	start := time.Date(2026, 1, 6, 10, 0, 0, 0, time.UTC)
	single := must[event.Written](t)(s.AddEvent(t.Context(),
		event.Event{Title: "once", Start: start, Length: time.Hour}, how))
	series := must[event.Written](t)(s.AddEvent(t.Context(),
		event.Event{Title: "daily", Start: start.Add(3 * time.Hour),
			Length: time.Hour, Recurrence: []string{"RRULE:FREQ=DAILY;COUNT=5"}}, how))
	third := series.ID() + "_20260108T130000Z"
	before := changes()
	for _, c := range []struct {
		id    string
		scope event.Scope
	}{{single.ID(), event.This}, {single.ID(), event.All}, {series.ID(), event.All}, {third, event.This}, {third,
		event.Following}, {third, event.All}} {
		want := must[event.Occurrence](t)(s.GetEvent(t.Context(), c.id, time.UTC))
		w, err := s.EditEvent(t.Context(), c.id, c.scope, how, func(e *event.Event) error {
			e.Title, e.Recurrence = e.Title+"", append([]string(nil), e.Recurrence...)
			return nil
		})
		if err != nil {
			t.Errorf("%s, scope %d: %v", c.id, c.scope, err)
			continue
		}
		if w.Sequence != want.Sequence || w.Etag != want.Etag || !w.UpdatedAt.Equal(want.UpdatedAt) ||
			len(w.Conflicts)+len(w.Duplicates) > 0 {
			t.Errorf("%s, scope %d: %+v, want %+v", c.id, c.scope, w, want)
		}
		if c.scope != event.All && !w.From.Equal(want.From) {
			t.Errorf("%s, scope %d: at %s, want %s", c.id, c.scope, w.From, want.From)
		}
	}
	if got := changes(); got != before {
		t.Errorf("%d changes in the history, want %d", got, before)
	}
	w, err := s.EditEvent(t.Context(), third, event.This, how,
		func(e *event.Event) error { e.Title = "other"; return nil })
	if err != nil || w.Title != "other" || changes() != before+1 {
		t.Errorf("a real change: %v %+v", err, w)
	}
}

// TestEditUnchangedTodo is TestEditUnchangedEvent for to-dos.
func TestEditUnchangedTodo(t *testing.T) {
	s, changes := unchangedFixture(t)
	o := must[todo.Occurrence](t)(todo.Of(s.Ledger).Add(t.Context(), todo.Todo{Event: event.Event{Title: "buy milk"}},
		time.UTC))
	before := changes()
	got := must[todo.Occurrence](t)(todo.Of(s.Ledger).Edit(t.Context(), o.ID, time.UTC, func(o *todo.Occurrence) error {
		o.Title = "buy " + "milk"
		return nil
	}))
	if got.Sequence != o.Sequence || got.Etag != o.Etag || !got.UpdatedAt.Equal(o.UpdatedAt) || changes() != before {
		t.Errorf("%+v, want %+v; %d changes, want %d", got, o, changes(), before)
	}
	got = must[todo.Occurrence](t)(todo.Of(s.Ledger).Edit(t.Context(), o.ID, time.UTC, func(o *todo.Occurrence) error {
		o.Title = "buy tea"
		return nil
	}))
	if got.Title != "buy tea" || got.Sequence == o.Sequence || changes() != before+1 {
		t.Errorf("a real change: %+v", got)
	}
}
