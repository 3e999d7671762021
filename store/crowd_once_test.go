package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// TestOnceInStore repeats calls with one key, in a database and in a folder, by functions that
// would succeed and by one that fails. All have the result of the first call.
func TestOnceInStore(t *testing.T) {
	for _, place := range []string{newDatabase(t), filepath.Join(t.TempDir(), "store")} {
		s, runs := openMachine(t, place), 0
		for _, step := range []struct{ name, digest string }{
			{"first", "d"}, {"second", "d"}, {"first", "d"}, {"third", "other"}, {"first", "other"},
		} {
			got, err := s.OnceInStore(t.Context(), "alice", "key", step.digest, adding(s, step.name, step.name, &runs))
			if step.digest != "d" {
				if !errors.As(err, new(*ReusedKeyError)) {
					t.Errorf("%v: %q, %v", step, got, err)
				}
			} else if err != nil || string(got) != "first" {
				t.Errorf("%v: %q, %v", step, got, err)
			}
		}
		wantMemos(t, s, "first")
		wantSound(t, s)
	}
}

// TestOnceInStoreBeside makes a call with the same key on another machine before the commit of
// the first one.
func TestOnceInStoreBeside(t *testing.T) {
	address := newDatabase(t)
	s, other := openMachine(t, address), openMachine(t, address)
	results := map[string]string{} // of the last runs
	call := func(name string) calling {
		return func(ctx context.Context, s *Store) error {
			runs := 0
			got, err := s.OnceInStore(ctx, "alice", "key", "d", adding(s, name, name, &runs))
			results[name] = string(got)
			return err
		}
	}
	runs := runsBeside(t, s, other, call("first"), call("second"))
	if runs != 2 || results["first"] != "second" || results["second"] != "second" {
		t.Errorf("ran %d times, results %v", runs, results)
	}
	wantMemos(t, s, "second")
	wantSound(t, s)
}
