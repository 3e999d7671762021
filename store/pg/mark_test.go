package pg_test

import (
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/pg"
)

// TestMark checks that the mark of a store changes with each commit, also of another
// machine whose clock is behind, and only then.
func TestMark(t *testing.T) {
	address := newAddress(t)
	late := func() time.Time { return time.Now().Add(-time.Minute) }
	e, other := open(t, address, pg.Options{Write: true}), open(t, address, pg.Options{Write: true, Now: late})
	mark := func() string {
		t.Helper()
		m, err := e.Mark(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	last := mark()
	for i := range 10 {
		if now := mark(); now != last {
			t.Error("another mark without a commit")
		}
		writer := []*pg.Engine{e, other}[i%2]
		if err := writer.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("k"), nil) }); err != nil {
			t.Fatal(err)
		}
		now := mark()
		if now == last {
			t.Errorf("commit %d: the same mark", i)
		}
		last = now
	}
}
