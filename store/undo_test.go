package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/edit"
	"techo/store/kv"
	"techo/store/ledger"
)

func anyEdit(edit.Edit) bool { return true }

// TestFileEdits keeps changes and takes them out again, in random order, beside
// a plain list, and wants the store sound at every step.
func TestFileEdits(t *testing.T) {
	r := testenv.Random(t)
	ctx := context.Background()
	s := open(t, newPlace(t), Options{Write: true, Now: time.Now})
	var model []edit.Edit
	for step := range 300 {
		if r.IntN(4) > 0 || len(model) == 0 {
			e := edit.Edit{Dir: fmt.Sprint("/d", r.IntN(3)), Tool: "edit_file"}
			for i := range 1 + r.IntN(3) {
				e.Files = append(e.Files,
					edit.File{Path: fmt.Sprint("/f", i), Before: "b", After: "a",
						Way: bytes.Repeat([]byte{byte(step)}, r.IntN(2000))})
			}
			e, err := s.AddFileEdit(ctx, e)
			if err != nil {
				t.Fatal(err)
			}
			model = append(model, e)
		} else {
			i := r.IntN(len(model))
			if err := s.RemoveFileEdit(ctx, model[i].ID); err != nil {
				t.Fatal(err)
			}
			model = append(model[:i:i], model[i+1:]...)
		}
		dir := fmt.Sprint("/d", r.IntN(3))
		var want *edit.Edit
		for i := range model {
			if model[i].Dir == dir {
				want = &model[i]
			}
		}
		got, err := s.LastFileEdit(ctx, func(e edit.Edit) bool { return e.Dir == dir })
		switch {
		case want == nil:
			if missing := new(ledger.NotFoundError); !errors.As(err, &missing) {
				t.Fatalf("none there, but: %v, %v", got, err)
			}
		case err != nil || got.ID != want.ID || !bytes.Equal(got.Files[0].Way, want.Files[0].Way) ||
			len(got.Files) != len(want.Files):
			t.Fatalf("got %v, %v, want %v", got, err, *want)
		}
	}
	report, err := s.Verify(ctx, VerifyOptions{})
	if err != nil || report.Counts["edits"] != len(model) {
		t.Errorf("%v, %v, want %d edits", report, err, len(model))
	}
}

// TestFileEditLimits keeps no more than there is room for, and the latest.
func TestFileEditLimits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t, newPlace(t), Options{Write: true, Now: time.Now})
	err := s.Group(ctx, func(ctx context.Context) error {
		for range edit.Max + 20 {
			if _, err := s.AddFileEdit(ctx, edit.Edit{Files: []edit.File{{Path: "/f"}}}); err != nil {
				return err
			}
		}
		return nil
	})
	c, e := s.FileEdits(ctx)
	if err != nil || e != nil || c.Edits != edit.Max || c.Next != edit.Max+20 {
		t.Fatalf("%v, %v: %+v", err, e, c)
	}
	for range 6 {
		if _, err := s.AddFileEdit(ctx,
			edit.Edit{Files: []edit.File{{Path: "/f", Way: make([]byte, edit.MaxBytes-1)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if c, err = s.FileEdits(ctx); err != nil || c.Bytes > edit.MaxAllEditBytes || c.Edits < 4 || c.Edits > 10 {
		t.Errorf("%v: %+v", err, c)
	}
	if last, err := s.LastFileEdit(ctx, anyEdit); err != nil || last.ID != c.Next-1 {
		t.Errorf("the last one is %v, %v", last.ID, err)
	}
	_, err = s.AddFileEdit(ctx, edit.Edit{Files: []edit.File{{Way: make([]byte, edit.MaxBytes)}, {Way: []byte{1}}}})
	if limit := new(ledger.LimitError); !errors.As(err, &limit) {
		t.Errorf("too large: %v", err)
	}
	if _, err := s.Verify(ctx, VerifyOptions{}); err != nil {
		t.Error(err)
	}
}

// TestFileEditAudit breaks what belongs together and wants Verify to see it,
// and the mending to make it whole.
func TestFileEditAudit(t *testing.T) {
	ctx := context.Background()
	for name, harm := range map[string]func(tx *ledger.Tx) error{
		"way gone":    func(tx *ledger.Tx) error { return tx.Delete(edit.UndoDataKey(1, 0)) },
		"way cut":     func(tx *ledger.Tx) error { return tx.Put(edit.UndoDataKey(1, 1), []byte("x")) },
		"way left":    func(tx *ledger.Tx) error { return tx.Put(edit.UndoDataKey(7, 0), []byte("x")) },
		"edit gone":   func(tx *ledger.Tx) error { return tx.Delete(edit.Key(1)) },
		"edit broken": func(tx *ledger.Tx) error { return tx.Put(edit.Key(1), []byte("{")) },
		"counts gone": func(tx *ledger.Tx) error { return tx.Delete(edit.CountKey.All()) },
		"counts off": func(tx *ledger.Tx) error {
			return ledger.Save(tx, edit.CountKey.All(),
				edit.Counts{Next: 3, Edits: 2, Bytes: 1})
		},
		"next off": func(tx *ledger.Tx) error {
			return ledger.Save(tx, edit.CountKey.All(),
				edit.Counts{Next: 2, Edits: 3, Bytes: 24})
		},
	} {
		s := open(t, newPlace(t), Options{Write: true, Now: time.Now})
		for range 3 {
			if _, err := s.AddFileEdit(ctx,
				edit.Edit{Files: []edit.File{{Path: "/a", Way: []byte("four")},
					{Path: "/b", Way: []byte("four")}}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Update(ctx, harm); err != nil {
			t.Fatal(err)
		}
		var corrupt *kv.CorruptError
		if _, err := s.Verify(ctx, VerifyOptions{}); !errors.As(err, &corrupt) {
			t.Errorf("%s: verify says %v", name, err)
		}
		if _, err := edit.Schema().Repair(ctx, s.Ledger); err != nil {
			t.Errorf("%s: mend: %v", name, err)
		}
		if report, err := s.Verify(ctx, VerifyOptions{}); err != nil || report.Counts["edits"] < 2 {
			t.Errorf("%s: after mending: %v, %v", name, report, err)
		}
		if e, err := s.AddFileEdit(ctx, edit.Edit{}); err != nil || e.ID < 3 {
			t.Errorf("%s: the next is %d, %v", name, e.ID, err)
		}
		s.Close()
	}
}
