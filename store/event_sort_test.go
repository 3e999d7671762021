package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
)

// TestSortOccurrences compares with a sort of the occurrences themselves.
func TestSortOccurrences(t *testing.T) {
	random := testenv.Random(t)
	for n := range 60 {
		var all []event.Occurrence
		for i := range n {
			from := time.Unix(int64(random.IntN(1+n/3)), 0)
			all = append(all, event.Occurrence{Event: &event.Event{ID: string(rune('a' + i))}, From: from,
				To: from.Add(time.Duration(random.IntN(3)) * time.Hour)})
		}
		want := slices.Clone(all)
		slices.SortFunc(want, func(a, b event.Occurrence) int {
			if d := a.From.Compare(b.From); d != 0 {
				return d
			}
			if d := b.To.Compare(a.To); d != 0 {
				return d
			}
			return strings.Compare(a.Event.ID, b.Event.ID)
		})
		event.SortOccurrences(all)
		if !slices.Equal(all, want) {
			t.Fatalf("%d occurrences: got %v, want %v", n, all, want)
		}
	}
}
