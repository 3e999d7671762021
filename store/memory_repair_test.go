package store

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/search"
	"techo/store/space"
)

// TestVerifyMemoryUsers finds a lost count of users, and texts in the index of a user
// without memories.
func TestVerifyMemoryUsers(t *testing.T) {
	damages := map[string]func(tx *ledger.Tx) error{
		"count of 0": func(tx *ledger.Tx) error { return ledger.Save(tx, memory.UserCount.All(), 0) },
		"no count":   func(tx *ledger.Tx) error { return tx.Delete(memory.UserCount.All()) },
		"index left": func(tx *ledger.Tx) error {
			return search.At(2).Add(tx, []search.Doc{{ID: "mem_x", Bag: search.NewAnalyzer().Bag("left over")}})
		},
	}
	for name, damage := range damages {
		s := newStore(t)
		mustRemember(t, s, memory.Memory{FullText: "A fact."})
		added, err := s.AddMemory(t.Context(), memory.Memory{User: "suzuki", FullText: "Another fact."})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.RemoveMemories(t.Context(), "suzuki", []string{added.ID}); err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
		if err := s.Update(t.Context(), damage); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Verify(t.Context(), VerifyOptions{}); err == nil {
			t.Errorf("%s: verified", name)
		}
		if err := s.Maintain(t.Context(), func(*ledger.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Repair(ledger.WithoutHistory(t.Context()), s.Ledger); err != nil {
			t.Fatal(err)
		}
		wantSound(t, s)
	}
}

// TestOldTurns makes calls in turns with random and with ascending ids: the ones
// that are older than a week go within some calls, and all by a compaction.
func TestOldTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, id := range []func(i int) string{
		func(int) string { return fmt.Sprintf("%016x", r.Uint64()) },
		func(i int) string { return fmt.Sprintf("turn-%06d", i) },
	} {
		s, now := openHistory(t, ledger.HistoryLimits{Off: true})
		take := func(from, n int) {
			for i := range n {
				if err := s.TakeTurn(t.Context(), "tanaka", id(from+i), 9); err != nil {
					t.Fatal(err)
				}
			}
		}
		count := func() (n int) {
			err := s.View(t.Context(), func(tx *ledger.Tx) error {
				n = 0
				for _, err := range tx.Scan(kv.Range{Prefix: memory.Turns.All()}) {
					if n++; err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		take(0, 600)
		*now = now.Add(8 * 24 * time.Hour)
		take(1000, 60)
		if n := count(); n > 160 {
			t.Errorf("%d turns, 60 of the last week", n)
		}
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 60 {
			t.Errorf("compacted: %d turns", n)
		}
	}
}

// TestRepairOrder repairs memos that match a question equally: they keep their order.
func TestRepairOrder(t *testing.T) {
	s := newStore(t)
	for i := range 5 {
		_, err := s.AddMemo(t.Context(), memo.Memo{Name: fmt.Sprint("m", i), Content: "same words", Priority: 1 + i%2})
		if err != nil {
			t.Fatal(err)
		}
	}
	order := func() (names []string) {
		found, _, err := memo.Search(t.Context(), s.Ledger, space.Sources{Own: true}, "same words",
			memo.Filter{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			names = append(names, m.Name)
		}
		return names
	}
	before := order()
	ctx := ledger.WithoutHistory(t.Context())
	if _, err := memory.Repair(ctx, s.Ledger); err != nil {
		t.Fatal(err)
	}
	if _, err := memo.Schema().Repair(ctx, s.Ledger); err != nil {
		t.Fatal(err)
	}
	if after := order(); !slices.Equal(before, after) {
		t.Errorf("%q, were %q", after, before)
	}
	wantSound(t, s)
}

// TestRepairedQuestionNumbers loses the only question: its number is not used again.
func TestRepairedQuestionNumbers(t *testing.T) {
	s := newStore(t)
	first, err := s.AddQuestion(t.Context(), question.Question{Text: "Which one?"})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx *ledger.Tx) error {
		key := question.Records.Key(string(binary.BigEndian.AppendUint64(nil, question.Number(first.ID))))
		return tx.Put(key, []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	repairs, err := question.Schema().Repair(ledger.WithoutHistory(t.Context()), s.Ledger)
	if err != nil || len(repairs) != 1 {
		t.Fatal(repairs, err)
	}
	second, err := s.AddQuestion(t.Context(), question.Question{Text: "Another?"})
	if err != nil || second.ID == first.ID {
		t.Errorf("%s again, %v", second.ID, err)
	}
}

// TestLargeMemories adds texts that grow in JSON or in the index: each is refused on
// its own, or stored.
func TestLargeMemories(t *testing.T) {
	testenv.All(t, "takes three seconds")
	t.Parallel()
	s := newStore(t)
	d := memory.NewDrafter()
	r := rand.New(rand.NewPCG(3, 4))
	han := make([]rune, ledger.MaxText/3)
	for i := range han {
		han[i] = rune(0x4e00 + r.IntN(0x5000))
	}
	drafts := []memory.Draft{
		d.Draft(memory.Memory{User: "u", FullText: "small"}),
		d.Draft(memory.Memory{User: "u", FullText: strings.Repeat("<p>&amp;</p>", ledger.MaxText/12)}),
		d.Draft(memory.Memory{User: "u", FullText: string(han)}),
		d.Draft(memory.Memory{User: "u", FullText: strings.Repeat("\x01", ledger.MaxText)}),
		d.Draft(memory.Memory{User: "u", FullText: "x", Session: strings.Repeat("\U0001d160", 200)}),
	}
	added, err := s.AddMemories(t.Context(), "u", drafts)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false, false} {
		if added[i].Created != want || (added[i].Err == nil) != want {
			t.Errorf("%d: created %v, %v", i, added[i].Created, added[i].Err)
		}
	}
	wantSound(t, s)
}
