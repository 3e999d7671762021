package store

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/space"
)

// newStore opens a store in a new folder, with a clock that moves on by a
// second at each look.
func newStore(t *testing.T) *Store {
	t.Helper()
	return openStore(t, newPlace(t), true)
}

func openStore(t *testing.T, dir string, write bool) *Store {
	t.Helper()
	now := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	return open(t, dir, Options{Write: write, Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
}

func mustAdd(t *testing.T, s *Store, name string, tags ...string) memo.Memo {
	t.Helper()
	m, err := s.AddMemo(t.Context(), memo.Memo{Name: name, Content: "content", Priority: 3, Tags: tags})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func wantMemos(t *testing.T, s *Store, names ...string) {
	t.Helper()
	memos, total, err := s.FindMemos(t.Context(), memo.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	ok := total == len(names) && len(memos) == total
	for _, n := range names {
		if _, err := s.GetMemo(t.Context(), n); err != nil {
			ok = false
		}
	}
	if !ok {
		t.Fatalf("%d memos %v, want %q", total, memos, names)
	}
}

func wantSound(t *testing.T, s *Store) Report {
	t.Helper()
	r, err := s.Verify(t.Context(), VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// adding returns a function for Once that adds a memo and counts its runs.
func adding(s *Store, name, result string, runs *int) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		*runs++
		_, err := s.AddMemo(ctx, memo.Memo{Name: name, Content: "content", Priority: 3})
		return []byte(result), err
	}
}

func TestOnce(t *testing.T) {
	countsRuns(t)
	s := newStore(t)
	result := "{\"text\":\"<手帳> & \\u2028 \u2029\"}\n"
	runs := 0
	for range 3 {
		got, err := s.Once(t.Context(), "tanaka", "key", "digest", adding(s, "memo", result, &runs))
		if err != nil || string(got) != result || runs != 1 {
			t.Fatalf("got %q, %v, ran %d times", got, err, runs)
		}
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var reused *ledger.ReusedKeyError
	_, err := s.Once(t.Context(), "tanaka", "key", "other", adding(s, "other", result, &runs))
	if !errors.As(err, &reused) || reused.Key != "key" || runs != 1 {
		t.Fatalf("other input: %v, ran %d times", err, runs)
	}
	if _, err := s.Once(t.Context(), "tanaka", "key2", "digest", adding(s, "memo2", result, &runs)); err != nil ||
		runs != 2 {
		t.Fatalf("other key: %v, ran %d times", err, runs)
	}
	if _, err := s.Once(t.Context(), "suzuki", "key", "digest", adding(s, "memo3", result, &runs)); err != nil ||
		runs != 3 {
		t.Fatalf("another user's key: %v, ran %d times", err, runs)
	}
	wantMemos(t, s, "memo", "memo2", "memo3")
	wantSound(t, s)
}

func TestOnceFails(t *testing.T) {
	countsRuns(t)
	s := newStore(t)
	refused := errors.New("refused")
	_, err := s.Once(t.Context(), "tanaka", "key", "digest", func(ctx context.Context) ([]byte, error) {
		if _, err := s.AddMemo(ctx, memo.Memo{Name: "memo", Content: "content", Priority: 3}); err != nil {
			t.Error(err)
		}
		return []byte("result"), refused
	})
	if !errors.Is(err, refused) {
		t.Fatalf("got %v", err)
	}
	wantMemos(t, s)
	runs := 0
	if got, err := s.Once(t.Context(), "tanaka", "key", "other", adding(s, "memo", "result", &runs)); err != nil ||
		runs != 1 || string(got) != "result" {
		t.Fatalf("got %q, %v, ran %d times", got, err, runs)
	}
	wantMemos(t, s, "memo")
}

func TestOnceInGroup(t *testing.T) {
	countsRuns(t)
	dir := newPlace(t)
	s := openStore(t, dir, true)
	refused := errors.New("refused")
	runs := 0
	group := func(end error) error {
		return s.Group(t.Context(), func(ctx context.Context) error {
			for range 2 {
				if got, err := s.Once(ctx, "tanaka", "key", "digest", adding(s, "memo", "result", &runs)); err != nil ||
					string(got) != "result" {
					t.Errorf("got %q, %v", got, err)
				}
			}
			_, err := s.Once(ctx, "tanaka", "key", "other", adding(s, "memo", "result", &runs))
			if !errors.As(err, new(*ledger.ReusedKeyError)) {
				t.Errorf("other input: %v", err)
			}
			return end
		})
	}
	if err := group(refused); !errors.Is(err, refused) || runs != 1 {
		t.Fatalf("%v, ran %d times", err, runs)
	}
	wantMemos(t, s)
	if err := group(nil); err != nil || runs != 2 {
		t.Fatalf("%v, ran %d times", err, runs)
	}
	for _, s := range []*Store{s, openStore(t, dir, true)} {
		got, err := s.Once(t.Context(), "tanaka", "key", "digest", adding(s, "memo", "again", &runs))
		if err != nil || string(got) != "result" || runs != 2 {
			t.Fatalf("got %q, %v, ran %d times", got, err, runs)
		}
	}
}

func TestGroup(t *testing.T) {
	dir := newPlace(t)
	s := openStore(t, dir, true)
	old := mustAdd(t, s, "old", "tag")
	refused := errors.New("refused")
	group := func(end error) error {
		return s.Group(t.Context(), func(ctx context.Context) error {
			m, err := s.AddMemo(ctx, memo.Memo{Name: "new", Content: "content", Priority: 5, Tags: []string{"tag"}})
			if err != nil {
				return err
			}
			if seen, err := s.GetMemo(ctx, m.ID); err != nil || seen.Name != "new" {
				t.Errorf("own write: %v, %v", seen, err)
			}
			if _, err := s.AddMemo(ctx, memo.Memo{Name: "new", Content: "content", Priority: 5}); !errors.As(err,
				new(*ledger.TakenError)) {
				t.Errorf("a name that was taken within: %v", err)
			}
			if _, err := s.RemoveMemo(ctx, "old"); err != nil {
				return err
			}
			return end
		})
	}
	if err := group(refused); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, openStore(t, dir, false)} {
		wantMemos(t, s, "old")
		if got, err := s.GetMemo(t.Context(), old.ID); err != nil || !sameMemo(got, old) {
			t.Errorf("%+v, %v, want %+v", got, err, old)
		}
		wantSound(t, s)
	}
	if err := group(nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, openStore(t, dir, false)} {
		wantMemos(t, s, "new")
		wantSound(t, s)
	}
}

// TestVerifyUnsound damages a memo in ways that no table finds by itself, and adds keys of no kind. See
// ledger.TestTable for indexes and counts.
func TestVerifyUnsound(t *testing.T) {
	record := func(change func(m *memo.Memo)) func(*ledger.Tx, memo.Memo) error {
		return func(tx *ledger.Tx, m memo.Memo) error {
			key := memo.Key(m.ID)
			change(&m)
			return ledger.Save(tx, key, memo.RecordOf(&m))
		}
	}
	for name, spoil := range map[string]func(*ledger.Tx, memo.Memo) error{
		"other name":       record(func(m *memo.Memo) { m.Name = "other" }),
		"no such priority": record(func(m *memo.Memo) { m.Priority = 9 }),
		"other id":         record(func(m *memo.Memo) { m.ID = "abcdefgh" }),
		"no JSON":          func(tx *ledger.Tx, m memo.Memo) error { return tx.Put(memo.Key(m.ID), []byte(`{"id":`)) },
		"an unknown key":   func(tx *ledger.Tx, m memo.Memo) error { return tx.Put([]byte("zz"), nil) },
		"a short key":      func(tx *ledger.Tx, m memo.Memo) error { return tx.Put([]byte("m"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			mustAdd(t, s, "first", "a", "b")
			m := mustAdd(t, s, "memo", "a")
			wantSound(t, s)
			if err := s.Maintain(t.Context(), func(tx *ledger.Tx) error { return spoil(tx, m) }); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, new(*kv.CorruptError)) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestNoEngine(t *testing.T) {
	t.Chdir(t.TempDir())
	var none *NoEngineError
	for _, where := range []string{"mysql://user@host/base", "redis://host"} {
		_, err := Open(where, Options{Write: true, Now: time.Now})
		if !errors.As(err, &none) || none.Engine != where[:len(none.Engine)] {
			t.Errorf("%s: %v", where, err)
		}
	}
	if names, _ := filepath.Glob("*"); len(names) > 0 {
		t.Errorf("created %q", names)
	}
}

// TestNoStore reads a store that is not there: it is empty, and stays away.
func TestNoStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "parent", "store")
	s := openStore(t, dir, false)
	wantMemos(t, s)
	wantSound(t, s)
	if tags, err := s.MemoTags(t.Context()); err != nil || len(tags) > 0 {
		t.Errorf("tags: %v, %v", tags, err)
	}
	if all, err := memo.Important(t.Context(), s.Ledger, space.Sources{Own: true}, 9, 9); err != nil || len(all) != 1 ||
		len(all[0].Top)+len(all[0].Latest)+all[0].Omitted > 0 {
		t.Errorf("important: %+v, %v", all, err)
	}
	if _, err := s.GetMemo(t.Context(), "memo"); !errors.As(err, new(*ledger.NotFoundError)) {
		t.Errorf("get: %v", err)
	}
	if info, counts, err := s.Info(t.Context()); err != nil || counts.Memos != 0 || info.Files != 0 ||
		info.Path != dir {
		t.Errorf("info: %+v, %+v, %v", info, counts, err)
	}
	if _, err := s.AddMemo(t.Context(), memo.Memo{Name: "memo", Content: "content", Priority: 3}); err == nil {
		t.Error("a store that is opened to be read was written to")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("created: %v", err)
	}
}

// TestRecord pins the format on disk: later versions must read it.
func TestRecord(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_123)
	b, err := json.Marshal(memo.RecordOf(&memo.Memo{ID: "id", Name: "name", Content: "content", Priority: 5,
		Tags: []string{"a"}, Detail: "detail", CreatedAt: at, UpdatedAt: at.Add(time.Hour)}))
	want := `{"id":"id","name":"name","content":"content","priority":5,"tags":["a"],` +
		`"detail":"detail","created":1700000000123,"updated":1700003600123}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}
