package pg_test

import (
	"fmt"
	"sync"
	"testing"

	"techo/store/kv"
	"techo/store/pg"
)

// TestTurns lets 16 writers add records of their own and count all of them under one
// key. Once they have met, they take turns, so that few attempts are in vain.
func TestTurns(t *testing.T) {
	const writers, each = 16, 25
	e := open(t, newAddress(t), pg.Options{Write: true})
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				if err := e.Update(t.Context(), func(tx kv.Tx) error { return addCounted(tx, w, n) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	err := e.View(t.Context(), func(tx kv.Tx) error {
		if b, err := tx.Get([]byte("count")); err != nil || string(b) != fmt.Sprint(writers*each) {
			t.Errorf("count %s, %v", b, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	conflicts := pg.Conflicts(e)
	t.Logf("%d conflicts in %d transactions", conflicts, writers*each)
	if conflicts > writers*each/4 {
		t.Errorf("%d conflicts in %d transactions", conflicts, writers*each)
	}
}

// addCounted adds a record and counts it.
func addCounted(tx kv.Tx, writer, n int) error {
	count := 0
	values, err := tx.GetMany([][]byte{[]byte("count")})
	if err == nil && values[0] != nil {
		_, err = fmt.Sscan(string(values[0]), &count)
	}
	if err != nil {
		return err
	}
	if err := tx.Put(fmt.Appendf(nil, "record %d %d", writer, n), nil); err != nil {
		return err
	}
	return tx.Put([]byte("count"), fmt.Append(nil, count+1))
}
