package pg_test

import (
	"context"
	"fmt"
	"testing"

	"techo/store/kv"
	"techo/store/pg"
)

// TestGroupAgain lets another engine change what a Group has read, before it commits: the
// Group runs again as a whole, on the new state, and nothing of its first run is kept.
func TestGroupAgain(t *testing.T) {
	address := newAddress(t)
	e, other := open(t, address, pg.Options{Write: true}), open(t, address, pg.Options{Write: true})
	increment := func(ctx context.Context, e *pg.Engine, key string) error {
		return e.Update(ctx, func(tx kv.Tx) error {
			n := 0
			if b, err := tx.GetMany([][]byte{[]byte(key)}); err != nil {
				return err
			} else if b[0] != nil {
				_, _ = fmt.Sscan(string(b[0]), &n)
			}
			return tx.Put([]byte(key), fmt.Append(nil, n+1))
		})
	}
	for _, conflicts := range []int{1, 3} {
		runs := 0
		err := e.Group(t.Context(), func(ctx context.Context) error {
			runs++
			if err := increment(ctx, e, "shared"); err != nil {
				return err
			}
			if runs <= conflicts {
				if err := increment(t.Context(), other, "shared"); err != nil {
					return err
				}
				if err := e.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("vain"), nil) }); err != nil {
					return err
				}
			}
			return increment(ctx, e, "own")
		})
		if err != nil || runs != conflicts+1 {
			t.Errorf("%d runs after %d conflicts: %v", runs, conflicts, err)
		}
	}
	err := e.View(t.Context(), func(tx kv.Tx) error {
		for key, want := range map[string]string{"shared": "6", "own": "2"} { // 1+1 and 3+1; one by each Group
			if b, err := tx.Get([]byte(key)); err != nil || string(b) != want {
				t.Errorf("%s: %s, %v, want %s", key, b, err, want)
			}
		}
		if _, err := tx.Get([]byte("vain")); err == nil {
			t.Error("a run that was in vain has left a record")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
