package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/event"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
	"techo/store/receipt"
)

type calling func(ctx context.Context, s *Store) error

func addingMemory(user string, n int) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.AddMemory(ctx, memory.Memory{User: user, FullText: fmt.Sprintf("%s likes tea %d.", user, n)})
		return err
	}
}

func addingMemo(name string) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.AddMemo(ctx, memo.Memo{Name: name, Content: "tea", Priority: 3, Tags: []string{"t"}})
		return err
	}
}

func addingEvent(calendar string, n int) calling {
	return func(ctx context.Context, s *Store) error {
		day := wall("2025-03-02 09:00").AddDate(0, 0, n)
		e := event.Event{Calendar: calendar, Title: "Tea", Start: day, Zone: "Asia/Tokyo", Length: time.Hour,
			Status: event.Confirmed}
		_, err := s.AddEvent(ctx, e, event.Write{Zone: time.UTC})
		return err
	}
}

func askingTea(n int) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.AddQuestion(ctx, question.Question{Text: fmt.Sprintf("Tea %d?", n)})
		return err
	}
}

func once(user, key string, call calling) calling {
	return func(ctx context.Context, s *Store) error {
		_, err := s.Once(ctx, user, key, "digest", func(ctx context.Context) ([]byte, error) {
			return []byte("{}"), call(ctx, s)
		})
		return err
	}
}

// fillCrowd adds memories of many users, events and memos.
func fillCrowd(t *testing.T, s *Store) {
	t.Helper()
	for u := range crowdUsers {
		user := fmt.Sprintf("user%02d", u)
		var drafts []memory.Draft
		drafter := memory.NewDrafter()
		for n := range 290 {
			text := fmt.Sprintf("%s likes tea %d.", user, n)
			drafts = append(drafts, drafter.Draft(memory.Memory{User: user, FullText: text}))
		}
		for _, some := range [][]memory.Draft{drafts[:260], drafts[260:]} { // the last ones wait to be indexed
			if _, err := s.AddMemories(t.Context(), user, some); err != nil {
				t.Fatal(err)
			}
		}
		var memos []memo.Memo
		for n := range 30 {
			name := fmt.Sprint("memo ", u, n)
			memos = append(memos, memo.Memo{Name: name, Content: "tea", Priority: 3, Tags: []string{"t"}})
		}
		if _, err := memo.Import(t.Context(), s.Ledger, memos); err != nil {
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
		err = s.Maintain(t.Context(), func(tx *ledger.Tx) error {
			for n := range 200 {
				key := receipt.Key(user, fmt.Sprintf("%06d earlier", n*7919%1000003))
				if err := receipt.PutReceipt(tx, key, receipt.Receipt{Digest: "digest", Result: "{}",
					At: s.Time().UnixMilli()}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

const crowdUsers = 12

func openMachine(t *testing.T, address string) *Store {
	t.Helper()
	return openWithClock(t, address, Options{Write: true, Now: time.Now})
}

// runs is an engine that counts the runs of the functions of its Updates.
type runs struct {
	kv.Engine
	n *atomic.Int64
}

func (e runs) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.Update(ctx, func(tx kv.Tx) error {
		e.n.Add(1)
		return fn(tx)
	})
}

// TestCrowd lets ten machines make ten calls each, of one user or of different ones. No
// transaction runs twice.
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
			var ran atomic.Int64
			var all sync.WaitGroup
			for m := range 10 {
				s := openMachine(t, address)
				s.Engine = runs{s.Engine, &ran}
				all.Go(func() {
					for n := range 10 {
						if err := call(m, n)(t.Context(), s); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			if ran.Load() != 100 {
				t.Errorf("100 transactions ran %d times", ran.Load())
			}
		})
	}
	wantSound(t, openMachine(t, address))
}

// TestCrowdQuestions asks on several machines, some with a wrong clock: the list has
// the questions in their order, and the expired ones end.
func TestCrowdQuestions(t *testing.T) {
	address := newDatabase(t)
	var machines []*Store
	for i := range 3 {
		wrong := func() time.Time { return time.Now().Add(time.Duration(i-1) * time.Hour) }
		machines = append(machines, openWithClock(t, address, Options{Write: true, Now: wrong}))
	}
	var ids []string
	for i := range 9 {
		q := question.Question{Text: fmt.Sprint("Tea ", i, "?"),
			ExpiresAt: time.Now().Add(time.Duration(i%2) * time.Hour)}
		ids = append(ids, mustAsk(t, machines[i%3], q).ID)
	}
	s := machines[0]
	ids = append(ids, mustAsk(t, s, question.Question{Text: "Rice?"}).ID)
	found, total, err := s.FindQuestions(t.Context(), question.Filter{Limit: 20})
	if err != nil || total != 10 {
		t.Fatal(total, err)
	}
	slices.Reverse(found)
	for i, q := range found {
		if q.ID != ids[i] {
			t.Errorf("%d: %s, want %s", i, q.ID, ids[i])
		}
	}
	if usage, err := s.Usage(t.Context()); err != nil || usage.Pending != 5 {
		t.Errorf("%+v, %v", usage, err)
	}
	wantSound(t, s)
}

// TestCrowdOrder changes one memo from several machines, some with a wrong clock:
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
		change := memo.Change{Content: new(fmt.Sprint("content ", i))}
		if _, err := machines[i%3].EditMemo(t.Context(), "memo", change); err != nil {
			t.Fatal(err)
		}
	}
	for i := 29; i > 0; i-- {
		if _, err := history.Of(machines[i%3].Ledger).Undo(t.Context(), "", history.Filter{}); err != nil {
			t.Fatal(err)
		}
		m, err := machines[0].GetMemo(t.Context(), "memo")
		if want := fmt.Sprint("content ", i-1); err != nil || m.Content != want {
			t.Fatalf("%q, %v, want %q", m.Content, err, want)
		}
	}
	wantHistory(t, machines[0], 60)
}
