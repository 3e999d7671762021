package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/pg"
)

// calling makes a call at a store.
type calling func(ctx context.Context, s *Store) error

func addingMemory(user string, n int) calling {
	return func(ctx context.Context, s *Store) error {
		_, _, err := s.AddMemory(ctx, Memory{User: user, FullText: fmt.Sprintf("%s likes tea %d.", user, n)})
		return err
	}
}

func addingMemo(name string) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.AddMemo(ctx, Memo{Name: name, Content: "tea", Priority: 3, Tags: []string{"t"}})
		return err
	}
}

func addingEvent(calendar string, n int) calling {
	return func(ctx context.Context, s *Store) error {
		day := wall("2025-03-02 09:00").AddDate(0, 0, n)
		e := Event{Calendar: calendar, Title: "Tea", Start: day, Zone: "Asia/Tokyo", Length: time.Hour,
			Status: Confirmed}
		_, err := s.AddEvent(ctx, e, EventWrite{Zone: time.UTC})
		return err
	}
}

// askingTea asks a question.
func askingTea(n int) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.AddQuestion(ctx, Question{Text: fmt.Sprintf("Tea %d?", n)})
		return err
	}
}

// once makes a call with an idempotency key.
func once(user, key string, call calling) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.Once(ctx, user, key, "digest", func(ctx context.Context) ([]byte, error) {
			return []byte("{}"), call(ctx, s)
		})
		return err
	}
}

// runsBeside makes a call, and another one on another machine between its reads and its
// commit. It returns how often the first one ran.
func runsBeside(t *testing.T, s, other *Store, call, meanwhile calling) (runs int) {
	t.Helper()
	err := s.update(t.Context(), func(tx kv.Tx) error {
		runs++
		if err := call(context.WithValue(t.Context(), txKey{}, openTx{s.space, tx}), s); err != nil {
			return err
		}
		if runs > 1 {
			return nil
		}
		return meanwhile(t.Context(), other)
	})
	if err != nil {
		t.Error(err)
	}
	return runs
}

// fill adds memories of many users, events and memos.
func fillCrowd(t *testing.T, s *Store) {
	t.Helper()
	for u := range crowdUsers {
		user := fmt.Sprintf("user%02d", u)
		var drafts []Draft
		drafter := NewDrafter()
		for n := range 290 {
			text := fmt.Sprintf("%s likes tea %d.", user, n)
			drafts = append(drafts, drafter.Draft(Memory{User: user, FullText: text}))
		}
		for _, some := range [][]Draft{drafts[:260], drafts[260:]} { // the last ones wait to be indexed
			if _, err := s.AddMemories(t.Context(), user, some); err != nil {
				t.Fatal(err)
			}
		}
		var memos []Memo
		for n := range 30 {
			name := fmt.Sprint("memo ", u, n)
			memos = append(memos, Memo{Name: name, Content: "tea", Priority: 3, Tags: []string{"t"}})
		}
		if _, err := ImportMemos(t.Context(), s, memos); err != nil {
			t.Fatal(err)
		}
		err := s.Group(t.Context(), func(ctx context.Context) error {
			for n := range 600 {
				if err := addingEvent(fmt.Sprintf("cal%02d", u), n)(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = s.engine.Update(t.Context(), func(tx kv.Tx) error {
			for n := range 200 {
				key := receiptKey(user, fmt.Sprintf("%06d earlier", n*7919%1000003))
				if err := putReceipt(tx, key, receipt{"digest", "{}", s.time().UnixMilli()}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// The first calls after an import move records to other pages of the database.
	for n := range 20 * crowdUsers {
		user, key := fmt.Sprintf("user%02d", n%crowdUsers), fmt.Sprintf("%06d first", n*7727%1000003)
		for _, call := range []calling{once(user, key, addingMemory(user, 1000+n)),
			addingEvent(fmt.Sprintf("cal%02d", n%crowdUsers), 1000+n)} {
			if err := call(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
}

const crowdUsers = 12

func openMachine(t *testing.T, address string) *Store {
	t.Helper()
	return openWithClock(t, address, Options{Write: true, Now: time.Now})
}

// TestCrowd lets ten machines make ten calls each, and counts how often they run again:
// much less for different users and calendars than at keys in common (TestCrowdKeys).
func TestCrowd(t *testing.T) {
	address := newDatabase(t)
	fillCrowd(t, openMachine(t, address))
	for name, call := range map[string]func(machine, n int) calling{
		"memories": func(m, n int) calling { return addingMemory(fmt.Sprintf("user%02d", m), 3000+n) },
		"memories with a key": func(m, n int) calling {
			user, key := fmt.Sprintf("user%02d", m), fmt.Sprintf("%06d", (10*m+n)*5003%1000003)
			return once(user, key, addingMemory(user, 2000+n))
		},
		"events":               func(m, n int) calling { return addingEvent(fmt.Sprintf("cal%02d", m), 800+n) },
		"memos":                func(m, n int) calling { return addingMemo(fmt.Sprintf("crowd %d %d", m, n)) },
		"memories of a user":   func(m, n int) calling { return addingMemory("user03", 4000+10*m+n) },
		"events of a calendar": func(m, n int) calling { return addingEvent("cal03", 1200+10*m+n) },
		"questions":            func(m, n int) calling { return askingTea(10*m + n) },
	} {
		t.Run(name, func(t *testing.T) {
			var again atomic.Int64
			var all sync.WaitGroup
			for m := range 10 {
				s := openMachine(t, address)
				all.Go(func() {
					for n := range 10 {
						if err := call(m, n)(t.Context(), s); err != nil {
							t.Error(err)
						}
					}
					again.Add(pg.Conflicts(s.engine.(*pg.Engine)))
				})
			}
			all.Wait()
			t.Logf("%d runs more than 100", again.Load()) // how many depends on the load of the machine
		})
	}
	wantSound(t, openMachine(t, address))
}

// TestCrowdMeets makes two independent calls at the same time, each on a machine of its
// own. They have no key in common that both change: some pair runs once.
func TestCrowdMeets(t *testing.T) {
	address := newDatabase(t)
	s, other := openMachine(t, address), openMachine(t, address)
	fillCrowd(t, s)
	for name, calls := range map[string]func(n int) (call, meanwhile calling){
		"memories": func(n int) (calling, calling) {
			return addingMemory("user02", 5000+n), addingMemory("user09", 5000+n)
		},
		"memories with a key": func(n int) (calling, calling) {
			key := fmt.Sprint("k", n)
			return once("user02", key, addingMemory("user02", 6000+n)),
				once("user09", key, addingMemory("user09", 6000+n))
		},
		"memory and event": func(n int) (calling, calling) {
			return addingMemory("user02", 7000+n), addingEvent("cal09", 2000+n)
		},
		"event and memory": func(n int) (calling, calling) {
			return addingEvent("cal02", 2000+n), addingMemory("user09", 8000+n)
		},
		"events": func(n int) (calling, calling) { return addingEvent("cal02", 3000+n), addingEvent("cal09", 3000+n) },
		"memory and memo": func(n int) (calling, calling) {
			return addingMemory("user02", 9000+n), addingMemo(fmt.Sprint("met", n))
		},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			for n := range 5 { // neighbours on a page of the database meet now and then
				call, meanwhile := calls(n)
				if runs = runsBeside(t, s, other, call, meanwhile); runs == 1 {
					return
				}
			}
			t.Errorf("%d runs", runs)
		})
	}
	wantSound(t, s)
}

// TestCrowdOrder changes one memo from several machines, of which some have a wrong clock:
// the history has the changes in their order, and the last one is undone first.
func TestCrowdOrder(t *testing.T) {
	address := newDatabase(t)
	var machines []*Store
	for i := range 3 {
		wrong := func() time.Time { return time.Now().Add(time.Duration(i-1) * time.Hour) }
		machines = append(machines, openWithClock(t, address, Options{Write: true, Now: wrong}))
	}
	mustAdd(t, machines[0], "memo")
	for i := range 30 {
		change := MemoChange{Content: new(fmt.Sprint("content ", i))}
		if _, err := machines[i%3].EditMemo(t.Context(), "memo", change); err != nil {
			t.Fatal(err)
		}
	}
	for i := 29; i > 0; i-- {
		if _, err := HistoryOf(machines[i%3]).Undo(t.Context(), "", HistoryFilter{}); err != nil {
			t.Fatal(err)
		}
		m, err := machines[0].GetMemo(t.Context(), "memo")
		if want := fmt.Sprint("content ", i-1); err != nil || m.Content != want {
			t.Fatalf("%q, %v, want %q", m.Content, err, want)
		}
	}
	wantHistory(t, machines[0], 60)
}

// TestCrowdLimits keeps the history of a database within its limits, though only some
// writes look at them.
func TestCrowdLimits(t *testing.T) {
	address := newDatabase(t)
	limits := HistoryLimits{MaxBytes: 20_000}
	s := openWithClock(t, address, Options{Write: true, Now: time.Now, History: limits})
	s.trimEvery = 8
	for i := range 300 {
		mustAdd(t, s, fmt.Sprint("memo ", i))
	}
	info, err := HistoryOf(s).Info(t.Context())
	if err != nil || info.Bytes > 2*limits.MaxBytes || info.Changes < 50 {
		t.Errorf("%d changes of %d bytes, %v", info.Changes, info.Bytes, err)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err = HistoryOf(s).Info(t.Context()); err != nil || info.Bytes > limits.MaxBytes || info.Changes < 50 {
		t.Errorf("compacted: %d changes of %d bytes, %v", info.Changes, info.Bytes, err)
	}
	wantSound(t, s)
}
