package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
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
