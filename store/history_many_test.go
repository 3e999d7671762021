package store

import (
	"fmt"
	"testing"
)

// TestManyRecords writes a change of more records than a value of the engine has
// room for: it is listed, but it cannot be undone.
func TestManyRecords(t *testing.T) {
	s := newStore(t)
	c := Change{At: s.now()}
	for i := range 600_000 {
		c.Records = append(c.Records, ChangedRecord{Kind: KindMemo, ID: fmt.Sprintf("%08d", i), Exists: true})
	}
	err := s.maintain(t.Context(), func(tx *Tx) error {
		counts, err := loadHistoryCounts(tx)
		if err != nil {
			return err
		}
		c.ID = counts.take()
		if err := putChange(tx, &c); err != nil {
			return err
		}
		counts.add(&c)
		return counts.save(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Lost || len(c.Records) < 100_000 {
		t.Errorf("%v, %d records", c.Lost, len(c.Records))
	}
	wantHistory(t, s, 1)
}
