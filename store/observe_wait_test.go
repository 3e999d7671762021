package store

import (
	"testing"
	"time"

	"techo/store/ledger"
)

// TestWaitForConnection: the time that a transaction waits for a connection counts as waiting,
// although its function has begun.
func TestWaitForConnection(t *testing.T) {
	seen := make(chan ledger.Transaction, 5)
	s := openWithClock(t, newDatabase(t)+"&pool_max_conns=1", Options{Write: true, Now: time.Now,
		Observe: func(tx ledger.Transaction) { seen <- tx }})
	get := func(tx *ledger.Tx) error {
		_, err := tx.GetMany([][]byte{[]byte("a")})
		return err
	}
	ended := make(chan error)
	err := s.View(t.Context(), func(tx *ledger.Tx) error {
		if err := get(tx); err != nil {
			return err
		}
		begun := make(chan struct{}, 5)
		go func() {
			ended <- s.View(t.Context(), func(tx *ledger.Tx) error {
				begun <- struct{}{}
				return get(tx)
			})
		}()
		<-begun
		time.Sleep(500 * time.Millisecond)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	first, second := <-seen, <-seen
	if tx := max(first.Waited, second.Waited); tx < max(first.Took, second.Took)/10 {
		t.Errorf("%+v, %+v", first, second)
	}
}
