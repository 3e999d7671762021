package store

import (
	"fmt"
	"testing"
	"time"

	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/search"
)

// TestSurroundingsInBulk imports memories of one instant, without a session: up to
// search.MaxAtOnce are neighbours, more have none.
func TestSurroundingsInBulk(t *testing.T) {
	for _, c := range []struct{ imported, neighbours int }{
		{2, 2}, {search.MaxAtOnce, 2*search.Around + 1}, {search.MaxAtOnce + 1, 0}, {500, 0}, {5000, 0},
	} {
		s := newStore(t)
		d := memory.NewDrafter()
		var drafts []memory.Draft
		for i := range c.imported {
			drafts = append(drafts, d.Draft(memory.Memory{User: "tanaka", FullText: fmt.Sprint("zebra ", i),
				CreatedAt: time.UnixMilli(1)}))
		}
		added, err := s.AddMemories(t.Context(), "tanaka", drafts)
		if err != nil {
			t.Fatal(err)
		}
		err = s.View(t.Context(), func(tx *ledger.Tx) error {
			u, err := memory.LoadUser(tx, "tanaka", false)
			if err != nil {
				return err
			}
			r, err := memory.IndexedMemory(tx, u.Number, added[c.imported/2].ID)
			if err != nil {
				return err
			}
			around, err := u.Surroundings(tx).Around([]search.Owner{{Num: r.Text, ID: r.ID, At: r.Created}})
			if err == nil && len(around[0].Nums) != c.neighbours {
				t.Errorf("%d imported: %d neighbours, want %d", c.imported, len(around[0].Nums), c.neighbours)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		// Each of them scores alike: no neighbour adds to its score.
		found, err := s.SearchMemories(t.Context(), "tanaka", "zebra", memory.Filter{Limit: 10, By: search.ByWords})
		if err != nil || len(found.Hits) != min(c.imported, 10) {
			t.Fatal(len(found.Hits), err)
		}
		if first, last := found.Hits[0], found.Hits[len(found.Hits)-1]; c.neighbours == 0 && first.Score != last.Score {
			t.Errorf("%d imported: scores %v to %v", c.imported, first.Score, last.Score)
		}
	}
}
