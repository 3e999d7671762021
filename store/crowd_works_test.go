package store

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/space"
)

// crowdMemos are the names of memos that several machines add.
type crowdMemos struct {
	mu    sync.Mutex
	added map[string]bool
}

func (c *crowdMemos) set(t *testing.T, name string, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there && c.added[name] {
		t.Errorf("%s is there twice", name)
	}
	c.added[name] = there
	if !there {
		delete(c.added, name)
	}
}

// work adds memos as a machine, edits some and removes others. Other machines
// add a third of the names as well.
func (c *crowdMemos) work(t *testing.T, s *Store, machine, n int) error {
	name := fmt.Sprint("shared ", n)
	if n%3 != 0 {
		name = fmt.Sprint("own ", machine, " ", n)
	}
	m := memo.Memo{Name: name, Content: fmt.Sprintf("tea %d %d", machine, n), Priority: 3}
	m.Tags = []string{fmt.Sprint("t", n%20)}
	_, err := s.AddMemo(t.Context(), m)
	if errors.As(err, new(*ledger.TakenError)) {
		return nil
	}
	if err != nil {
		return err
	}
	c.set(t, name, true)
	if n%7 == 0 {
		if _, err := s.EditMemo(t.Context(), name, memo.Change{Content: new("edited " + m.Content)}); err != nil {
			return err
		}
	}
	if n%11 == 0 {
		c.set(t, name, false)
		_, err = s.RemoveMemo(t.Context(), name)
	}
	return err
}

// crowdWorks lets four machines with three clients each work at once, each 60 times. work gets
// the number of the client.
func crowdWorks(t *testing.T, address string, work func(s *Store, client, n int) error) {
	t.Helper()
	var all sync.WaitGroup
	for machine := range 4 {
		s := openMachine(t, address)
		for client := range 3 { // which share transactions when they meet
			all.Go(func() {
				for n := range 60 {
					if err := work(s, 10*machine+client, n); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

// TestCrowdMemos adds, edits and removes memos on several machines at once. All of them are
// found, none has the place of another one in the index, and no name is used twice.
func TestCrowdMemos(t *testing.T) {
	address := newDatabase(t)
	memos := &crowdMemos{added: map[string]bool{}}
	crowdWorks(t, address, func(s *Store, client, n int) error { return memos.work(t, s, client, n) })
	s := openMachine(t, address)
	wantSound(t, s)
	found, total, err := memo.Search(t.Context(), s.Ledger, space.Sources{Own: true}, "tea", memo.Filter{Limit: 1000})
	if err != nil || total != len(memos.added) {
		t.Fatalf("%d memos found, %v, want %d", total, err, len(memos.added))
	}
	for _, m := range found {
		if !memos.added[m.Name] {
			t.Errorf("found %s", m.Name)
		}
	}
	if _, total, err := s.FindMemos(t.Context(), memo.Filter{Limit: 1}); err != nil || total != len(memos.added) {
		t.Errorf("a list of %d, %v", total, err)
	}
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
		m := memory.Memory{User: "alice", FullText: fmt.Sprintf("Alice likes tea %d %d.", client, n)}
		if n%3 == 0 { // several machines add the same text
			m.FullText = fmt.Sprintf("Alice likes tea %d.", n)
		}
		added, _, err := s.AddMemory(t.Context(), m)
		if err != nil {
			return err
		}
		if n%7 == 1 {
			change := memory.Change{FullText: new("Edited: " + m.FullText)}
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
	listed, total, err := s.FindMemories(t.Context(), "alice", memory.Filter{Limit: 1000})
	if err != nil || total != len(there) || len(listed) != len(there) {
		t.Errorf("%d memories, %d of %d listed, %v", len(there), len(listed), total, err)
	}
	for _, m := range listed {
		if !there[m.ID] {
			t.Errorf("%s is listed", m.ID)
		}
	}
}
