package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/memo"
)

// TestCutConnections adds memos from two stores with several clients each, while
// connections are cut after a request was sent: often after a commit, whose outcome is
// then unknown. Each memo is there exactly once if the call returned it.
func TestCutConnections(t *testing.T) {
	address := newDatabase(t)
	through, c := countTrips(t, address)
	r, mu := testenv.Random(t), sync.Mutex{}
	c.cut = func() bool {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(12) == 0
	}
	const stores, clients = 2, 3
	each := testenv.Pick(6, 40)
	var all sync.WaitGroup
	added := make(chan string, stores*clients*each)
	for store := range stores {
		s, err := Open(through, Options{Write: true, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for client := range clients {
			seed := rand.New(rand.NewPCG(uint64(store), uint64(client)))
			all.Go(func() {
				for n := range each {
					name := fmt.Sprintf("memo %d %d %d", store, client, n)
					_, err := s.AddMemo(t.Context(), memo.Memo{Name: name, Content: "content",
						Priority: 1 + seed.IntN(5)})
					switch {
					case err == nil:
						added <- name
					case errors.As(err, new(*kv.UnavailableError)), errors.As(err, new(*kv.ContentionError)):
					default: // a TakenError: an attempt that had happened was repeated
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
	}
	all.Wait()
	close(added)
	var names []string
	for name := range added {
		names = append(names, name)
	}
	if len(names) < stores*clients*each/2 {
		t.Errorf("only %d calls succeeded", len(names))
	}
	s, err := Open(address, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	memos, total, err := s.FindMemos(t.Context(), memo.Filter{Limit: 1000})
	if err != nil || total != len(names) || len(memos) != total {
		t.Errorf("%d memos of %d, %v; want %d", len(memos), total, err, len(names))
	}
	wantSound(t, s)
}
