package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
)

// mustAddMemory adds a memory of Alice with a text and a time.
func mustAddMemory(t *testing.T, s *Store, text string, at time.Time) Memory {
	t.Helper()
	m, _, err := s.AddMemory(t.Context(), Memory{User: "alice", FullText: text, CreatedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	return m.Memory
}

// mustImportNotes adds memories of Alice in one transaction.
func mustImportNotes(t *testing.T, s *Store, n int, name string, at func() time.Time) {
	t.Helper()
	var drafts []Draft
	for i := range n {
		m := Memory{User: "alice", FullText: fmt.Sprintf("%s %d", name, i), CreatedAt: at()}
		drafts = append(drafts, NewDrafter().Draft(m))
	}
	if _, err := s.AddMemories(t.Context(), "alice", drafts); err != nil {
		t.Fatal(err)
	}
}

// newCounted opens a new store in a database, through a proxy that counts round trips.
func newCounted(t *testing.T) (*Store, *counting) {
	t.Helper()
	through, c := countTrips(t, newDatabase(t))
	s := openMachine(t, through)
	s.trimEvery = math.MaxInt // a call that drops old changes makes more round trips
	return s, c
}

// TestWaitingOrder edits memories of one time that wait, while another process adds others of
// that time, which may get the freed numbers. Each memory keeps a place of its own.
func TestWaitingOrder(t *testing.T) {
	address := newDatabase(t)
	one, other := openMachine(t, address), openMachine(t, address)
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var edited []string
	for n := range 60 {
		m := mustAddMemory(t, one, fmt.Sprint("first ", n), day)
		change := MemoryChange{FullText: new(fmt.Sprint("edited ", n))}
		if _, err := one.EditMemory(t.Context(), "alice", m.ID, change); err != nil {
			t.Fatal(err)
		}
		if n%3 == 0 {
			if _, err := HistoryOf(one).Undo(t.Context(), "", HistoryFilter{Owner: "alice"}); err != nil {
				t.Fatal(err)
			}
		}
		edited = append(edited, m.ID)
		other.slots.Clear() // as a new process
		mustAddMemory(t, other, fmt.Sprint("second ", n), day)
		mustAddMemory(t, other, fmt.Sprint("third ", n), day)
	}
	wantSound(t, one)
	mustImportNotes(t, one, 300, "fourth", func() time.Time { return day }) // all texts enter the lists
	if _, _, err := one.RemoveMemories(t.Context(), "alice", edited); err != nil {
		t.Error(err)
	}
	all, total, err := one.FindMemories(t.Context(), "alice", MemoryFilter{Limit: 1000})
	if err != nil || len(all) != 420 || total != 420 {
		t.Errorf("%d of %d memories, want 420, %v", len(all), total, err)
	}
	wantSound(t, one)
}

// TestWaitingImport adds memories one by one and imports others: no moment is left waiting when
// no text waits.
func TestWaitingImport(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	for round := range 4 {
		for n := range 20 {
			mustAddMemory(t, s, fmt.Sprintf("single %d %d", round, n), time.Time{})
		}
		mustImportNotes(t, s, 260, fmt.Sprint("import ", round), time.Now)
	}
	for key := range keysOf(t, s) {
		if strings.HasPrefix(key, string(apartMoments)) || strings.HasPrefix(key, "sz") {
			t.Errorf("%q waits", key)
		}
	}
	wantSound(t, s)
}

// TestWaitingTrips counts the round trips of additions whose memories are far from each other
// in time, among them those that move the waiting ones into the timeline.
func TestWaitingTrips(t *testing.T) {
	s, c := newCounted(t)
	r := testenv.Random(t)
	first := time.Now().AddDate(-10, 0, 0)
	at := func() time.Time { return first.Add(time.Duration(r.IntN(80_000)) * time.Hour) }
	mustImportNotes(t, s, 3000, "note", at)
	for n := range 300 {
		before := c.trips.Load()
		mustAddMemory(t, s, fmt.Sprint("Tea ", n), at())
		if trips := c.trips.Load() - before; trips > 16 {
			t.Fatalf("%d round trips of addition %d", trips, n)
		}
	}
	wantSound(t, s)
}

// TestWaitingSearchTrips counts the round trips of searches while all memories wait.
func TestWaitingSearchTrips(t *testing.T) {
	s, c := newCounted(t)
	now := time.Now()
	for n := range 60 {
		mustAddMemory(t, s, fmt.Sprintf("likes tea %d.", n), now.Add(time.Duration(n-1000)*7*time.Minute))
		if n != 0 && n != 5 && n != 20 && n != 59 {
			continue
		}
		for _, question := range []string{"tea", "tea 7", "xylophone"} {
			before := c.trips.Load()
			if _, err := s.SearchMemories(t.Context(), "alice", question, MemoryFilter{Limit: 10}); err != nil {
				t.Fatal(err)
			}
			if trips := c.trips.Load() - before; trips > 6 {
				t.Errorf("%d round trips of %q in %d memories", trips, question, n+1)
			}
		}
	}
}

// TestWaitingLarge searches after large memories were added one by one: few of them wait, so
// that a search need not read all of them.
func TestWaitingLarge(t *testing.T) {
	s, c := newCounted(t)
	r := testenv.Random(t)
	for n := range 5 {
		mustAddMemory(t, s, fmt.Sprint("green tea ", n, randomWords(r, 70<<10)), time.Time{})
		before := c.trips.Load()
		if _, err := s.SearchMemories(t.Context(), "alice", "green tea", MemoryFilter{Limit: 10}); err != nil {
			t.Fatal(err)
		}
		if trips := c.trips.Load() - before; trips > 6 {
			t.Errorf("%d round trips with %d memories", trips, n+1)
		}
	}
	wantSound(t, s)
}

func randomWords(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, " w%x", r.IntN(1<<30))
	}
	return b.String()
}

// TestWaitingMeet adds two memories of one user at once, in a store without other records
// around the keys that both read.
func TestWaitingMeet(t *testing.T) {
	address := newDatabase(t)
	s, other := openMachine(t, address), openMachine(t, address)
	if err := addNumbered(s, 0, 1000); err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		if err := addingMemory("tanaka", n)(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	again := 0
	for n := range 20 {
		again += runsBeside(t, s, other, addingMemory("tanaka", 1000+n), addingMemory("tanaka", 2000+n)) - 1
	}
	if again > 5 { // some draw a number that is taken, or open a window
		t.Errorf("%d of 20 additions ran again", again)
	}
}

// TestWaitingFlag removes the flag that moments wait: verify reports it, because no list shows
// these memories.
func TestWaitingFlag(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	mustAddMemory(t, s, "tea", time.Time{})
	err := s.engine.Update(t.Context(), func(tx kv.Tx) error {
		u, err := loadMemoryUser(tx, "alice", false)
		if err != nil {
			return err
		}
		u.Apart = false
		return save(tx, memoryUserKey("alice"), u)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context(), VerifyOptions{}); err == nil {
		t.Error("verify finds nothing")
	}
}

// TestRefusedUser refuses the only memory of a new user: the user leaves nothing behind.
func TestRefusedUser(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	mustAddMemory(t, s, "tea", time.Time{})
	before := len(keysOf(t, s))
	d := NewDrafter().Draft(Memory{User: "bob", FullText: strings.Repeat("x", MaxMemoryText+1)})
	added, err := s.AddMemories(t.Context(), "bob", []Draft{d})
	if err != nil || added[0].Err == nil {
		t.Errorf("%v, %v", added, err)
	}
	if after := len(keysOf(t, s)); after != before {
		t.Errorf("%d keys, before %d", after, before)
	}
}
