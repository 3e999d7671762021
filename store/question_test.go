package store

import (
	"context"
	"errors"
	"sync"
	"testing"

	"techo/store/ledger"
	"techo/store/question"
)

func mustAsk(t *testing.T, s *Store, q question.Question) question.Question {
	t.Helper()
	q, err := s.AddQuestion(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestQuestionSettledOnce lets many answer at once: one wins, and all others
// learn who did.
func TestQuestionSettledOnce(t *testing.T) {
	dir := newPlace(t)
	q := mustAsk(t, openStore(t, dir, true), question.Question{Text: "Q", Options: []string{"a", "b"}})
	var (
		wait sync.WaitGroup
		mu   sync.Mutex
		won  []string
	)
	for _, by := range []string{"a", "b", "c", "d", "e", "f"} {
		s := openStore(t, dir, true)
		wait.Go(func() {
			_, late, err := s.SettleQuestion(context.Background(), q.ID, question.Answered,
				question.Answer{Texts: []string{by}, By: by})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && !late {
				won = append(won, by)
			} else if !errors.As(err, new(*question.SettledError)) {
				t.Errorf("%s: late %v, %v", by, late, err)
			}
		})
	}
	wait.Wait()
	s := openStore(t, dir, true)
	got, err := s.GetQuestion(t.Context(), q.ID)
	if err != nil || len(won) != 1 || got.Answer.By != won[0] {
		t.Errorf("%v won, the store has %+v, %v", won, got, err)
	}
	if _, _, err := s.SettleQuestion(t.Context(), q.ID, question.Withdrawn, question.Answer{}); !errors.As(err,
		new(*question.SettledError)) {
		t.Errorf("cancelled after the answer: %v", err)
	}
	wantSound(t, s)
}

func TestQuestionMissing(t *testing.T) {
	s := newStore(t)
	mustAsk(t, s, question.Question{Text: "Q"})
	for _, id := range []string{"", "q", "q0", "q2", "x1", "q-1", "99999999999999999999", "メモ"} {
		if _, err := s.GetQuestion(t.Context(), id); !errors.As(err, new(*ledger.NotFoundError)) {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"q1", "Q1", " 1 "} {
		if q, err := s.GetQuestion(t.Context(), id); err != nil || q.ID != "q1" {
			t.Errorf("%q: %+v, %v", id, q, err)
		}
	}
}

// TestQuestionRepair makes indexes and counts anew.
func TestQuestionRepair(t *testing.T) {
	s := newStore(t)
	mustAsk(t, s, question.Question{Text: "Q", Key: "k"})
	mustAsk(t, s, question.Question{Text: "R"})
	err := s.Update(t.Context(), func(tx *ledger.Tx) error {
		if err := tx.Put(question.CountKey.All(), []byte("rot")); err != nil {
			return err
		}
		if err := tx.Put(question.Key(9), []byte("rot")); err != nil {
			return err
		}
		return tx.Delete(question.Keys.Key("k"))
	})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := question.Schema().Repair(t.Context(), s.Ledger)
	if err != nil || len(notes) != 1 {
		t.Fatalf("%v, %v", notes, err)
	}
	wantSound(t, s)
	if again := mustAsk(t, s, question.Question{Text: "Q", Key: "k"}); again.ID != "q1" {
		t.Errorf("by key: %+v", again)
	}
	if next := mustAsk(t, s, question.Question{Text: "S"}); next.ID != "q10" {
		t.Errorf("next: %+v", next)
	}
}
