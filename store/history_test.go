package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/receipt"
)

// openHistory opens a store with limits of its history and a clock that the
// test moves.
func openHistory(t *testing.T, limits ledger.HistoryLimits) (s *Store, now *time.Time) {
	t.Helper()
	at := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	now = &at
	s = open(t, newPlace(t), Options{Write: true, Now: func() time.Time { return at }, History: limits})
	return s, now
}

func wantHistory(t *testing.T, s *Store, want int) history.Info {
	t.Helper()
	info, err := history.Of(s.Ledger).Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := history.Of(s.Ledger).List(t.Context(), history.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if info.Changes != want || len(page.Changes) != want || page.Total != want {
		t.Fatalf("%d changes, %d listed, want %d", info.Changes, len(page.Changes), want)
	}
	wantSound(t, s)
	return info
}

// TestHistoryBytes drops the oldest changes, few with each write, and the rest
// when the store is compacted.
func TestHistoryBytes(t *testing.T) {
	s, _ := openHistory(t, ledger.HistoryLimits{MaxBytes: 1 << 20})
	for i := range 200 {
		mustAdd(t, s, fmt.Sprint("memo", i))
	}
	info := wantHistory(t, s, 200)
	s.History.MaxBytes = info.Bytes / 10
	mustAdd(t, s, "one more")
	wantHistory(t, s, 201-ledger.MaxDropped)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := history.Of(s.Ledger).Info(t.Context())
	if err != nil || info.Bytes > s.History.MaxBytes || info.Changes < 10 {
		t.Errorf("%+v, %v", info, err)
	}
	wantHistory(t, s, info.Changes)
}

// TestLargeChange keeps values that need several values of the engine.
func TestLargeChange(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	text := make([]byte, 3<<20)
	for i := range text {
		text[i] = 'a' + byte(i*i/7%23) // hardly compressible in this length
	}
	var ids []string
	for i := range 4 {
		added, err := s.AddMemory(t.Context(), memory.Memory{User: "u", FullText: fmt.Sprint(i, string(text))})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, added.ID)
	}
	before := liveState(t, s)
	if _, _, err := s.RemoveMemories(t.Context(), "u", ids); err != nil {
		t.Fatal(err)
	}
	if _, err := history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{Owner: "u"}); err != nil {
		t.Fatal(err)
	}
	wantState(t, s, before)
}

// TestLostChange refuses to undo a change whose values were too large.
func TestLostChange(t *testing.T) {
	s := newStore(t)
	mustAdd(t, s, "a")
	err := s.Maintain(t.Context(), func(tx *ledger.Tx) error {
		c, err := tx.LoadWholeChange(1)
		if err != nil {
			return err
		}
		c.Lost = true
		counts, err := tx.LoadHistoryCounts()
		if err != nil {
			return err
		}
		counts.Bytes -= int64(c.Size)
		if err := tx.PutChange(&c); err != nil {
			return err
		}
		counts.Bytes += int64(c.Size)
		return counts.Save(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
	if _, err := history.Of(s.Ledger).Undo(t.Context(), "h1", history.Filter{}); !errors.As(err,
		new(*history.LostChangeError)) {
		t.Errorf("got %v", err)
	}
}

// TestUndoOnce undoes one change from many goroutines: one succeeds.
func TestUndoOnce(t *testing.T) {
	s := newStore(t)
	mustAdd(t, s, "a")
	results := make(chan error, 16)
	var all sync.WaitGroup
	for range cap(results) {
		all.Go(func() {
			_, err := history.Of(s.Ledger).Undo(t.Context(), "h1", history.Filter{})
			results <- err
		})
	}
	all.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
		} else if !errors.As(err, new(*history.UndoneError)) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d succeeded", won)
	}
	wantHistory(t, s, 2)
}

// TestReceiptsExpire repeats a call after 30 days, and after its record was
// removed.
func TestReceiptsExpire(t *testing.T) {
	countsRuns(t)
	s, now := openHistory(t, ledger.HistoryLimits{})
	runs := 0
	once := func(key, name string) {
		t.Helper()
		if _, err := s.Once(t.Context(), "tanaka", key, "digest", adding(s, name, "result", &runs)); err != nil {
			t.Fatal(err)
		}
	}
	once("k1", "a")
	once("k1", "a")
	if runs != 1 {
		t.Fatalf("%d runs", runs)
	}
	*now = now.Add(receipt.ReceiptLifetime + time.Hour)
	once("k2", "b")
	if r := wantSound(t, s); r.Counts["receipts"] != 1 {
		t.Errorf("%v", r.Counts)
	}
	once("k1", "c")
	if _, err := s.RemoveMemo(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	if r := wantSound(t, s); r.Counts["receipts"] != 1 || runs != 3 {
		t.Errorf("%v, %d runs", r.Counts, runs)
	}
	once("k1", "c")
	if runs != 4 {
		t.Errorf("%d runs", runs)
	}
}

// TestPurge looks for a secret in the files of a store: after it was purged and
// the store compacted, it is nowhere.
func TestPurge(t *testing.T) {
	testenv.InFolder(t)
	const secret = "hunter2-correct-horse"
	for name, purge := range map[string]func(s *Store, memory string) error{
		"remove": func(s *Store, memory string) error {
			ctx := ledger.WithPurge(t.Context())
			_, err := s.RemoveMemo(ctx, "a")
			_, _, err2 := s.RemoveMemories(ctx, "u", []string{memory})
			return errors.Join(err, err2)
		},
		"history": func(s *Store, memory string) error {
			_, err := s.RemoveMemo(t.Context(), "a")
			_, _, err2 := s.RemoveMemories(t.Context(), "u", []string{memory})
			_, n, err3 := history.Of(s.Ledger).Purge(t.Context(), "h1", history.Filter{})
			_, m, err4 := history.Of(s.Ledger).Purge(t.Context(), "h3", history.Filter{Owner: "u"})
			if n != 3 || m != 2 {
				t.Errorf("%d and %d changes removed", n, m)
			}
			return errors.Join(err, err2, err3, err4)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			_, err := s.Once(t.Context(), "u", "key", "d", func(ctx context.Context) ([]byte, error) {
				m, err := s.AddMemo(ctx, memo.Memo{Name: "a", Content: secret, Priority: 1})
				return []byte(m.ID + secret), err
			})
			if err != nil {
				t.Fatal(err)
			}
			longer := secret + " again"
			if _, err := s.EditMemo(t.Context(), "a", memo.Change{Content: &longer}); err != nil {
				t.Fatal(err)
			}
			added, err := s.AddMemory(t.Context(), memory.Memory{User: "u", FullText: secret})
			if err != nil {
				t.Fatal(err)
			}
			mustAdd(t, s, "other")
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := purge(s, added.ID); err != nil {
				t.Fatal(err)
			}
			for key, value := range liveState(t, s) {
				if bytes.Contains([]byte(key+value), []byte(secret)) {
					t.Errorf("%q has it", key)
				}
			}
			wantHistory(t, s, 1)
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantNowhere(t, s.Where, secret)
		})
	}
}

// wantNowhere fails if a file in a folder contains a text.
func wantNowhere(t *testing.T, dir, text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			t.Errorf("%s has it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUndoneQuestionIsNotLost: a rescue does not report a question as lost that
// an undo removed.
func TestUndoneQuestionIsNotLost(t *testing.T) {
	s := newStore(t)
	mustAsk(t, s, question.Question{Text: "Red?"})
	mustAsk(t, s, question.Question{Text: "Blue?"})
	if _, err := history.Of(s.Ledger).Undo(t.Context(), "h1", history.Filter{}); err != nil {
		t.Fatal(err)
	}
	err := s.Inspect(t.Context(), func(tx *ledger.Tx) error {
		n := newNamer()
		if _, err := n.read(tx); err != nil {
			return err
		}
		n.addSuspects()
		if lost := n.result(); len(lost) > 0 {
			t.Errorf("%+v", lost)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
