package store

import (
	"errors"
	"testing"

	"techo/store/edit"
	"techo/store/history"
	"techo/store/ledger"
)

// TestUndoWithoutHistory undoes changes while the history records none. The
// undone change leaves the history, so that the one before it is next.
func TestUndoWithoutHistory(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	mustAdd(t, s, "a")
	mustAdd(t, s, "b")
	mustAdd(t, s, "c")
	h := history.Of(s.Ledger)
	if _, err := h.Undo(t.Context(), "h3", history.Filter{}); err != nil {
		t.Fatal(err)
	}
	s.History.Off = true
	if c, err := h.Undo(t.Context(), "h4", history.Filter{}); err != nil || c.UndoneBy != 0 { // makes h3 again
		t.Fatalf("%+v, %v", c, err)
	}
	wantMemos(t, s, "c", "b", "a")
	wantHistory(t, s, 3)
	for _, want := range []uint64{3, 2, 1} {
		c, err := h.Undo(t.Context(), "", history.Filter{})
		if err != nil || c.ID != want || c.UndoneBy != 0 {
			t.Fatalf("%+v, %v; want %d", c, err, want)
		}
	}
	wantMemos(t, s)
	wantHistory(t, s, 0)
	if _, err := h.Undo(t.Context(), "", history.Filter{}); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Error(err)
	}
}

// TestEditWithoutHistory edits a file while the history records no changes. Its
// undo must not mark a later change of another record.
func TestEditWithoutHistory(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{Off: true})
	made := edit.Edit{Tool: "write_file", Files: []edit.File{{Path: "/f", Before: "1", After: "2"}}}
	unrecorded, err := s.AddFileEdit(t.Context(), made)
	if err != nil || unrecorded.Change != 0 {
		t.Fatalf("%+v, %v", unrecorded, err)
	}
	s.History.Off = false
	mustAdd(t, s, "a")
	by, err := s.AddFileEdit(t.Context(), edit.Edit{Undoes: unrecorded.Change, Files: made.Files})
	if err != nil {
		t.Fatal(err)
	}
	if err := edit.FinishUndo(t.Context(), s.Ledger, unrecorded, by); err != nil {
		t.Fatal(err)
	}
	if c, err := history.Of(s.Ledger).FindUndo(t.Context(), "h1", history.Filter{}); err != nil || c.UndoneBy != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	wantHistory(t, s, 2)
}

// TestUnrecordedUndoOfEdit undoes a recorded edit of a file while the history
// records no changes.
func TestUnrecordedUndoOfEdit(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	mustAdd(t, s, "a")
	made, err := s.AddFileEdit(t.Context(),
		edit.Edit{Tool: "write_file", Files: []edit.File{{Path: "/f", Before: "1", After: "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.History.Off = true
	by, err := s.AddFileEdit(t.Context(), edit.Edit{Undoes: made.Change, Files: made.Files})
	if err != nil || by.Change != 0 {
		t.Fatalf("%+v, %v", by, err)
	}
	wantHistory(t, s, 2) // until the files are changed
	if err := edit.FinishUndo(t.Context(), s.Ledger, made, by); err != nil {
		t.Fatal(err)
	}
	wantHistory(t, s, 1)
	if c, err := history.Of(s.Ledger).FindUndo(t.Context(), "", history.Filter{}); err != nil || c.ID != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestPurgeUnrecordedEdits purges a change of a file. The undo data of its edits
// from before the history goes with it.
func TestPurgeUnrecordedEdits(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	add := func(path string) {
		t.Helper()
		made := edit.Edit{Tool: "write_file", Files: []edit.File{{Path: path, Before: "1", After: "2",
			Way: []byte("secret")}}}
		if _, err := s.AddFileEdit(t.Context(), made); err != nil {
			t.Fatal(err)
		}
	}
	s.History.Off = true
	add("/f")
	add("/other")
	s.History.Off = false
	add("/f")
	if _, removed, err := history.Of(s.Ledger).Purge(t.Context(), "h1", history.Filter{}); err != nil || removed != 1 {
		t.Fatal(removed, err)
	}
	if c, err := s.FileEdits(t.Context()); err != nil || c.Edits != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	e, err := s.LastFileEdit(t.Context(), func(edit.Edit) bool { return true })
	if err != nil || e.Files[0].Path != "/other" {
		t.Errorf("%+v, %v", e, err)
	}
	wantHistory(t, s, 0)
}

// TestPurgeGuarded checks that purging a note of a guarded act leaves the others, also about the same matter.
func TestPurgeGuarded(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{})
	for range 3 {
		if err := s.NoteGuarded(t.Context(), "--purge", "none"); err != nil {
			t.Fatal(err)
		}
	}
	h := history.Of(s.Ledger)
	if _, removed, err := h.Purge(t.Context(), "h2", history.Filter{}); err != nil || removed != 1 {
		t.Errorf("removed %d: %v", removed, err)
	}
	wantHistory(t, s, 2)
}
