package store

import (
	"context"
	"testing"

	"techo/store/kv"
)

// TestCrowdAlike adds the first memory of a user beside memos with the same words.
func TestCrowdAlike(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	mustAdd(t, s, "content")
	for range 2 {
		_, like, err := s.AddMemory(t.Context(), Memory{User: "alice", FullText: "The content is tea."})
		if err != nil || len(like.Similar) > 0 {
			t.Fatal(like, err)
		}
	}
	_, like, err := s.AddMemory(t.Context(), Memory{User: "alice", FullText: "The content is green tea."})
	if err != nil || len(like.Similar) != 1 {
		t.Error(like, err)
	}
}

// besides counts the calls of Beside of an engine.
type besides struct {
	kv.Engine
	calls int
}

func (e *besides) Beside(ctx context.Context, wait bool, fn func(kv.Tx) error) (ok bool, err error) {
	e.calls++
	return e.Engine.(kv.Besider).Beside(ctx, wait, fn)
}

// TestFindAlike: a memory is compared before the transaction of an idempotency key. What was
// found for one memory is not used for another one.
func TestFindAlike(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	engine := &besides{Engine: s.engine}
	s.engine = engine
	tea := Memory{User: "alice", FullText: "The content is green tea."}
	first, _, err := s.AddMemory(t.Context(), Memory{User: "alice", FullText: "The content is tea."})
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := FindAlike(t.Context(), s, tea)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		m     Memory
		calls int
		alike int
	}{{tea, 2, 1}, {Memory{User: "bob", FullText: tea.FullText}, 3, 0}} {
		_, err := s.Once(ctx, "alice", step.m.User, "digest", func(ctx context.Context) ([]byte, error) {
			_, like, err := s.AddMemory(ctx, step.m)
			if len(like.Similar) != step.alike || step.alike > 0 && like.Similar[0] != first.ID {
				t.Errorf("%s: similar to %v", step.m.User, like.Similar)
			}
			return nil, err
		})
		if err != nil || engine.calls != step.calls {
			t.Errorf("%s: looked up %d times, want %d: %v", step.m.User, engine.calls, step.calls, err)
		}
	}
	wantSound(t, s)
}

// TestCrowdAlikeGroup removes a memory, and adds one with nearly the same words in the same
// group of writes: the answer does not mention the removed one.
func TestCrowdAlikeGroup(t *testing.T) {
	s := openMachine(t, newDatabase(t))
	first, _, err := s.AddMemory(t.Context(), Memory{User: "alice", FullText: "The content is tea."})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Group(t.Context(), func(ctx context.Context) error {
		if _, _, err := s.RemoveMemories(ctx, "alice", []string{first.ID}); err != nil {
			return err
		}
		_, like, err := s.AddMemory(ctx, Memory{User: "alice", FullText: "The content is green tea."})
		if err == nil && len(like.Similar) > 0 {
			t.Errorf("similar to %v, which is removed", like.Similar)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
}
