package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/memo"
	"techo/store/memory"
)

// TestSameKeys makes the same random changes in a database and in a folder: both have the same
// keys with the same values, and so have copies of one in the other.
func TestSameKeys(t *testing.T) {
	r := testenv.Random(t)
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	options := Options{Write: true, Now: func() time.Time { return now }}
	database, folder := open(t, newDatabase(t), options), open(t, t.TempDir()+"/store", options)
	changes := &memoryChanges{rand: r, first: now.Add(-1000 * time.Hour)}
	var names []string
	change := func(n int, s, other *Store) {
		t.Helper()
		now = now.Add(time.Second)
		call := changes.next(n)
		if n%2 == 0 {
			call = randomChange(r, n, names)
		}
		err, otherErr := call(t.Context(), s), call(t.Context(), other)
		if reflect.TypeOf(err) != reflect.TypeOf(otherErr) {
			t.Fatalf("%d: %v, and %v", n, err, otherErr)
		}
		if err == nil {
			names = append(names, fmt.Sprint("memo ", n))
		}
	}
	for n := range 400 {
		change(n, database, folder)
	}
	wantSame(t, database, folder)
	copied, back := open(t, t.TempDir()+"/copy", options), open(t, migratedDatabase(t), options)
	for from, to := range map[*Store]*Store{database: copied, folder: back} {
		if _, err := Copy(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 60 {
		change(1000+n, copied, back)
	}
	wantSame(t, copied, back)
}

// wantSame compares all keys and values of two stores, and checks them.
func wantSame(t *testing.T, s, other *Store) {
	t.Helper()
	one, two := keysOf(t, s), keysOf(t, other)
	for _, key := range slices.Sorted(maps.Keys(one)) {
		if value, ok := two[key]; !ok || value != one[key] {
			t.Errorf("%q: %q, and %q", key, one[key], value)
		}
	}
	if len(one) != len(two) {
		t.Errorf("%d keys, and %d", len(one), len(two))
	}
	wantSound(t, s)
	wantSound(t, other)
}

// randomChange returns the n-th change, of a memo, its tags or an event. It may fail.
func randomChange(r *rand.Rand, n int, names []string) calling {
	tag := func() string { return fmt.Sprint("tag ", r.IntN(24)) } // more than there may be
	m := memo.Memo{Name: fmt.Sprint("memo ", n), Content: fmt.Sprint("tea ", n), Priority: 1 + r.IntN(5)}
	m.Tags = []string{tag()}
	name := "none"
	if len(names) > 0 {
		name = names[r.IntN(len(names))]
	}
	switch r.IntN(13) {
	case 0, 1:
		return func(ctx context.Context, s *Store) error { _, err := s.RemoveMemo(ctx, name); return err }
	case 2, 3:
		change := memo.Change{Tags: []string{tag(), tag()}, Priority: &m.Priority}
		return func(ctx context.Context, s *Store) error { _, err := s.EditMemo(ctx, name, change); return err }
	case 4:
		from, to := tag(), tag()
		return func(ctx context.Context, s *Store) error { _, err := s.RenameMemoTag(ctx, from, to); return err }
	case 5:
		return func(ctx context.Context, s *Store) error {
			_, err := history.Of(s.Ledger).Undo(ctx, "", history.Filter{})
			return err
		}
	case 6:
		return addingEvent(fmt.Sprint("calendar ", r.IntN(3)), n)
	case 7:
		calendar := fmt.Sprint("calendar ", r.IntN(3))
		return func(ctx context.Context, s *Store) error { _, err := s.RemoveCalendar(ctx, calendar, true); return err }
	case 8:
		return askingTea(n)
	default:
		return func(ctx context.Context, s *Store) error { _, err := s.AddMemo(ctx, m); return err }
	}
}

// memoryChanges makes random changes of memories with random times.
type memoryChanges struct {
	rand  *rand.Rand
	texts []string
	first time.Time
}

func (c *memoryChanges) time() time.Time {
	return c.first.Add(time.Duration(c.rand.IntN(1e9)) * time.Millisecond)
}

// next returns the n-th change, of one of some users; there are more later.
func (c *memoryChanges) next(n int) calling {
	user := fmt.Sprint("user ", c.rand.IntN(2+n/100))
	m := memory.Memory{User: user, FullText: fmt.Sprintf("%s likes tea %d.", user, n), CreatedAt: c.time()}
	m.UpdatedAt = m.CreatedAt
	if c.rand.IntN(4) == 0 {
		m.Session = fmt.Sprint("s", c.rand.IntN(3))
	}
	id, new := "none", fmt.Sprintf("%s likes green tea %d.", user, n)
	if len(c.texts) > 0 {
		id = memory.IdOfText(memory.TextDigest(user, c.texts[c.rand.IntN(len(c.texts))]))
	}
	switch c.rand.IntN(20) {
	case 0, 1:
		return func(ctx context.Context, s *Store) error {
			_, _, err := s.RemoveMemories(ctx, user, []string{id})
			return err
		}
	case 2, 3:
		return func(ctx context.Context, s *Store) error {
			_, _, err := memory.Edit(ctx, s.Ledger, user, id, memory.Change{FullText: &new})
			return err
		}
	case 4:
		return func(ctx context.Context, s *Store) error {
			_, err := history.Of(s.Ledger).Undo(ctx, "", history.Filter{})
			return err
		}
	case 5:
		drafts := []memory.Draft{memory.NewDrafter().Draft(m)}
		for i := range 3 {
			m.FullText, m.CreatedAt = fmt.Sprintf("%s likes tea %d %d.", user, n, i), c.time()
			drafts = append(drafts, memory.NewDrafter().Draft(m))
		}
		return func(ctx context.Context, s *Store) error {
			_, err := s.AddMemories(ctx, user, drafts)
			return err
		}
	default:
		c.texts = append(c.texts, m.FullText)
		return func(ctx context.Context, s *Store) error { _, err := s.AddMemory(ctx, m); return err }
	}
}
