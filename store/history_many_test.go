package store

import (
	"fmt"
	"testing"

	"techo/internal/testenv"
	"techo/store/ledger"
)

// TestManyRecords writes a change of more records than a value of the engine has
// room for: it is listed, but it cannot be undone.
func TestManyRecords(t *testing.T) {
	testenv.All(t, "takes a second")
	t.Parallel()
	s := newStore(t)
	c := ledger.Change{At: s.Now()}
	for i := range 600_000 {
		c.Records = append(c.Records, ledger.ChangedRecord{Kind: ledger.KindMemo, ID: fmt.Sprintf("%08d", i),
			Exists: true})
	}
	err := s.Maintain(t.Context(), func(tx *ledger.Tx) error {
		counts, err := tx.LoadHistoryCounts()
		if err != nil {
			return err
		}
		c.ID = counts.Take()
		if err := tx.PutChange(&c); err != nil {
			return err
		}
		counts.Add(&c)
		return counts.Save(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Lost || len(c.Records) < 100_000 {
		t.Errorf("%v, %d records", c.Lost, len(c.Records))
	}
	wantHistory(t, s, 1)
}
