package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/receipt"
	"techo/store/todo"
)

// wantNames compares the names of all calendars but the default one.
func wantNames(t *testing.T, s *Store, want ...string) {
	t.Helper()
	all, err := s.Calendars(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		if c.Name != event.DefaultCalendar {
			names = append(names, c.Name)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func undoLast(t *testing.T, s *Store, id string) ledger.Change {
	t.Helper()
	c, err := history.Of(s.Ledger).Undo(t.Context(), id, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
	return c
}

// TestUndoRename undoes the renaming of a calendar, then its undo, and keeps the choice of
// the default calendar.
func TestUndoRename(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	mustAddTo(t, s, "work", "first")
	if _, err := s.SetDefaultCalendar(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	mustRename(t, s, "work", "office")
	mustRename(t, s, "office", "shop")
	page, err := history.Of(s.Ledger).List(t.Context(), history.Filter{Family: "calendar", Limit: 9})
	if err != nil || page.Total != 3 || page.Changes[0].Title != "office" || page.Changes[1].Title != "work" {
		t.Fatalf("%+v, %v", page, err)
	}
	d, err := history.Of(s.Ledger).Show(t.Context(), ledger.ChangeID(page.Changes[1].ID), history.Filter{})
	if err != nil || d.Records[0].Before != "calendar work\nname: work\n" ||
		d.Records[0].After != "calendar work\nname: office\n" {
		t.Errorf("%+v, %v", d, err)
	}
	newer := new(history.NewerChangeError)
	_, err = history.Of(s.Ledger).Undo(t.Context(), ledger.ChangeID(page.Changes[1].ID), history.Filter{})
	if !errors.As(err, &newer) || newer.Newer != page.Changes[0].ID {
		t.Errorf("%v", err)
	}
	last := undoLast(t, s, "")
	wantNames(t, s, "office")
	undoLast(t, s, "")
	wantNames(t, s, "work")
	undoLast(t, s, "") // the event
	wantTitles(t, s, "work")
	c, err := history.Of(s.Ledger).FindUndo(t.Context(), ledger.ChangeID(page.Changes[1].ID), history.Filter{})
	if err != nil || c.UndoneBy == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	undoLast(t, s, ledger.ChangeID(c.UndoneBy))
	undoLast(t, s, ledger.ChangeID(last.UndoneBy))
	wantNames(t, s, "shop")
	if c, err := s.FindCalendar(t.Context(), ""); err != nil || c.Name != "shop" {
		t.Errorf("the chosen default is %+v, %v", c, err)
	}
}

// TestUndoRenameTaken undoes a renaming while another calendar has the old name, and one of
// a calendar that was removed, or whose key is not its first name.
func TestUndoRenameTaken(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	mustAddTo(t, s, "work", "first")
	mustRename(t, s, "work", "office")
	renamed, err := history.Of(s.Ledger).FindUndo(t.Context(), "", history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	mustAddTo(t, s, "work", "second")
	mustRename(t, s, "work", "shop") // its key is not its name
	undoLast(t, s, "")
	wantTitles(t, s, "work", "second")
	undo := func() error {
		_, err := history.Of(s.Ledger).Undo(t.Context(), ledger.ChangeID(renamed.ID), history.Filter{})
		return err
	}
	if err := undo(); !errors.As(err, new(*ledger.TakenError)) {
		t.Errorf("a taken name: %v", err)
	}
	if _, err := s.RemoveCalendar(t.Context(), "office", true); err != nil {
		t.Fatal(err)
	}
	if err := undo(); !errors.As(err, new(*history.NewerChangeError)) {
		t.Errorf("a removed calendar: %v", err)
	}
	wantSound(t, s)
	undoLast(t, s, "") // the removal
	wantTitles(t, s, "office", "first")
	if _, err := s.RemoveCalendar(t.Context(), "work", true); err != nil {
		t.Fatal(err)
	}
	if err := undo(); err != nil {
		t.Error(err)
	}
	wantTitles(t, s, "work", "first")
}

// TestPurgeRename removes the renaming of a calendar from the history, with the receipts of
// calls that read its name or wrote its events, and no others: its name may be in any text.
func TestPurgeRename(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	mustAddTo(t, s, "work", "first")
	mustAddTo(t, s, "home", "second")
	renaming := func(name, to string) calling {
		return func(ctx context.Context, s *Store) error {
			_, err := s.RenameCalendar(ctx, name, to)
			return err
		}
	}
	todo := func(ctx context.Context, s *Store) error {
		_, err := todo.Of(s.Ledger).Add(ctx, todo.Todo{Event: event.Event{Calendar: "office", Title: "to do"}},
			time.UTC)
		return err
	}
	listing := func(ctx context.Context, s *Store) error {
		_, err := s.Calendars(ctx)
		return err
	}
	undoing := func(ctx context.Context, s *Store) error {
		_, err := history.Of(s.Ledger).Undo(ctx, "", history.Filter{})
		return err
	}
	calls := map[string]calling{
		"1 rename": renaming("work", "office"), "2 its event": addingEvent("office", 1), "3 its to-do": todo,
		"4 rename again": renaming("office", "shop"), "5 undo": undoing, "6 list": listing,
		"homework": addingMemo("homework"), "another": renaming("home", "house"),
		"another event": addingEvent("house", 2),
	}
	for _, key := range slices.Sorted(maps.Keys(calls)) {
		_, err := s.Once(t.Context(), "u", key, "digest", func(ctx context.Context) ([]byte, error) {
			return []byte(`"homework"`), calls[key](ctx, s)
		})
		if err != nil {
			t.Fatal(key, err)
		}
	}
	wantSound(t, s)
	page, err := history.Of(s.Ledger).List(t.Context(), history.Filter{About: []string{"work"}, Limit: 9})
	if err != nil || len(page.Changes) != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
	_, removed, err := history.Of(s.Ledger).Purge(t.Context(), ledger.ChangeID(page.Changes[0].ID), history.Filter{})
	if err != nil || removed != 3 {
		t.Errorf("%d changes removed, %v", removed, err)
	}
	wantSound(t, s)
	var left []string
	for key := range keysOf(t, s) {
		if ledger.PrefixOf([]byte(key)) == receipt.Records {
			_, tail, _ := ledger.CutNamed([]byte(key))
			left = append(left, string(tail))
		}
	}
	slices.Sort(left)
	if want := []string{"another", "another event", "homework"}; !slices.Equal(left, want) {
		t.Errorf("receipts of %q are left, want %q", left, want)
	}
	wantTitles(t, s, "office", "Tea", "first", "to do")
}
