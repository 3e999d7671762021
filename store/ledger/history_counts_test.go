package ledger

import (
	"fmt"
	"testing"
)

// TestTalliesOfMany: the history of a large team is not counted by owner, whose counts each write would write.
func TestTalliesOfMany(t *testing.T) {
	var c HistoryCounts
	add := func(owner string) {
		change := Change{ID: c.Take(), Owner: owner, Records: []ChangedRecord{{Kind: KindMemory}}}
		c.Add(&change)
	}
	for i := range mostTallies {
		add(fmt.Sprint("member ", i))
		add("member 0")
	}
	if n, known := c.Seen("member 0", ""); n != mostTallies+1 || !known {
		t.Errorf("%d, %v", n, known)
	}
	for i := range 2 * mostTallies {
		add(fmt.Sprint("another ", i))
	}
	if _, known := c.Seen("member 0", ""); known || len(c.encodeTallies()) > 100 {
		t.Errorf("known %v, %d bytes", known, len(c.encodeTallies()))
	}
	again := HistoryCounts{Changes: c.Changes, Last: c.Last}
	again.decodeTallies(c.encodeTallies())
	if err := (*Tx)(nil).TallyOlder(&again, MaxDropped); err != nil || again.Tallied() {
		t.Error("older changes are counted again with each write", err)
	}
}
