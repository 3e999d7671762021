package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
)

// memoryLists are the ids of a user's memories as a store lists them.
type memoryLists struct {
	Total, Count, All, Users int

	Newest, Session, Oldest, Around, Found []string
}

func memoryListsOf(t *testing.T, s *Store, user string, at time.Time) (l memoryLists) {
	t.Helper()
	var err error
	fail := func(e error) { err = errors.Join(err, e) }
	ids := func(all []Memory) (ids []string) {
		for _, m := range all {
			ids = append(ids, m.ID)
		}
		return ids
	}
	newest, total, e := s.FindMemories(t.Context(), user, MemoryFilter{Limit: 1000})
	fail(e)
	l.Newest, l.Total = ids(newest), total
	session, _, e := s.FindMemories(t.Context(), user, MemoryFilter{Session: "s1", Limit: 1000})
	fail(e)
	l.Session = ids(session)
	around, _, e := MemoriesAround(t.Context(), s, user, "", at, 20)
	fail(e)
	l.Around = ids(around)
	fail(s.EachMemory(t.Context(), user, at, func(m Memory) error {
		l.Oldest = append(l.Oldest, m.ID)
		return nil
	}))
	found, e := s.SearchMemories(t.Context(), user, "tea", MemoryFilter{Since: at, Limit: 1000})
	fail(e)
	for _, h := range found.Hits {
		l.Found = append(l.Found, h.ID)
	}
	slices.Sort(l.Found)
	l.Count, e = s.CountMemories(t.Context(), user)
	fail(e)
	l.All, l.Users, e = s.AllMemories(t.Context())
	fail(e)
	if err != nil {
		t.Fatal(err)
	}
	return l
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
	m := Memory{User: user, FullText: fmt.Sprintf("%s likes tea %d.", user, n), CreatedAt: c.time()}
	m.UpdatedAt = m.CreatedAt
	if c.rand.IntN(4) == 0 {
		m.Session = fmt.Sprint("s", c.rand.IntN(3))
	}
	id, new := "none", fmt.Sprintf("%s likes green tea %d.", user, n)
	if len(c.texts) > 0 {
		id = idOfText(textDigest(user, c.texts[c.rand.IntN(len(c.texts))]))
	}
	switch c.rand.IntN(20) {
	case 0, 1:
		return func(ctx context.Context, s *Store) error {
			_, _, err := s.RemoveMemories(ctx, user, []string{id})
			return err
		}
	case 2, 3:
		return func(ctx context.Context, s *Store) error {
			_, err := s.EditMemory(ctx, user, id, MemoryChange{FullText: &new})
			return err
		}
	case 4:
		return func(ctx context.Context, s *Store) error {
			_, err := HistoryOf(s).Undo(ctx, "", HistoryFilter{})
			return err
		}
	case 5:
		drafts := []Draft{NewDrafter().Draft(m)}
		for i := range 3 {
			m.FullText, m.CreatedAt = fmt.Sprintf("%s likes tea %d %d.", user, n, i), c.time()
			drafts = append(drafts, NewDrafter().Draft(m))
		}
		return func(ctx context.Context, s *Store) error {
			_, err := s.AddMemories(ctx, user, drafts)
			return err
		}
	default:
		c.texts = append(c.texts, m.FullText)
		return func(ctx context.Context, s *Store) error { _, _, err := s.AddMemory(ctx, m); return err }
	}
}

// TestCrowdTimelines makes the same random changes of memories in a database and in a folder:
// both have the same lists, and a copy of the one in the other has them, and goes on.
func TestCrowdTimelines(t *testing.T) {
	changes := &memoryChanges{rand: testenv.Random(t), first: time.Now().Add(-1000 * time.Hour)}
	database := openMachine(t, newDatabase(t))
	folder := openWithClock(t, t.TempDir()+"/store", Options{Write: true, Now: time.Now})
	compare := func(all ...*Store) {
		t.Helper()
		for _, s := range all {
			for _, user := range []string{"user 0", "user 1", "user 11"} {
				at := changes.time()
				got, want := memoryListsOf(t, s, user, at), memoryListsOf(t, folder, user, at)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v\nwant %+v", got, want)
				}
			}
		}
	}
	for n := range 400 {
		change := changes.next(n)
		err, other := change(t.Context(), database), change(t.Context(), folder)
		if reflect.TypeOf(err) != reflect.TypeOf(other) {
			t.Fatalf("%d: %v, in the folder %v", n, err, other)
		}
		if n%20 == 0 {
			compare(database)
		}
	}
	compare(database)
	wantSound(t, database)
	waiting := 0
	for key := range keysOf(t, database) {
		if spaceOf([]byte(key)) == apartMoments {
			waiting++
		}
	}
	if waiting == 0 {
		t.Error("no moments wait")
	}
	copied := openWithClock(t, t.TempDir()+"/copy", Options{Write: true, Now: time.Now})
	back := openMachine(t, migratedDatabase(t))
	for from, to := range map[*Store]*Store{database: copied, folder: back} {
		if _, err := Copy(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
		wantSound(t, to)
	}
	compare(copied, back)
	for n := range 100 {
		change := changes.next(1000 + n)
		want := change(t.Context(), folder)
		for _, s := range []*Store{copied, back} {
			if err := change(t.Context(), s); reflect.TypeOf(err) != reflect.TypeOf(want) {
				t.Fatalf("%d: %v, in the folder %v", n, err, want)
			}
		}
	}
	for _, s := range []*Store{copied, back, folder} {
		wantSound(t, s)
	}
	compare(copied, back)
}

// TestCrowdMemories adds, edits and removes memories of one user on several machines at once.
// All of them are listed and found.
func TestCrowdMemories(t *testing.T) {
	address := newDatabase(t)
	var mu sync.Mutex
	there := map[string]bool{}
	crowdWorks(t, address, func(s *Store, client, n int) error {
		if n%3 == 0 && (n%7 == 1 || n%11 == 1) {
			return nil // another machine may add or edit it meanwhile
		}
		m := Memory{User: "alice", FullText: fmt.Sprintf("Alice likes tea %d %d.", client, n)}
		if n%3 == 0 { // several machines add the same text
			m.FullText = fmt.Sprintf("Alice likes tea %d.", n)
		}
		added, _, err := s.AddMemory(t.Context(), m)
		if err != nil {
			return err
		}
		if n%7 == 1 {
			change := MemoryChange{FullText: new("Edited: " + m.FullText)}
			if _, err := s.EditMemory(t.Context(), "alice", added.ID, change); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		there[added.ID] = true
		if n%11 == 1 {
			delete(there, added.ID)
			_, _, err = s.RemoveMemories(t.Context(), "alice", []string{added.ID})
		}
		return err
	})
	s := openMachine(t, address)
	wantSound(t, s)
	listed := memoryListsOf(t, s, "alice", time.Now().Add(-time.Hour))
	if listed.Total != len(there) || listed.Count != len(there) || listed.All != len(there) ||
		len(listed.Newest) != len(there) || len(listed.Found) != len(there) {
		t.Errorf("%d memories, lists %+v", len(there), listed)
	}
	for _, id := range listed.Newest {
		if !there[id] {
			t.Errorf("%s is listed", id)
		}
	}
}
