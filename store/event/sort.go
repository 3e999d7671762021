package event

import (
	"cmp"
	"slices"
)

// SortOccurrences sorts by start, then the longer ones first, then by title and
// id.
func SortOccurrences(all []Occurrence) {
	// Occurrences are large: their positions are sorted, and each is moved once.
	type position struct {
		from int64
		at   int
	}
	order := make([]position, len(all))
	for i := range all {
		order[i] = position{all[i].From.Unix(), i}
	}
	slices.SortFunc(order, func(p, q position) int {
		if p.from != q.from {
			return cmp.Compare(p.from, q.from)
		}
		a, b := &all[p.at], &all[q.at]
		return cmp.Or(a.From.Compare(b.From), b.To.Compare(a.To), cmp.Compare(a.Title, b.Title),
			cmp.Compare(a.Event.ID, b.Event.ID), a.Wall.Compare(b.Wall))
	})
	for i := range order { // each cycle of the permutation in turn
		first := all[i]
		for to := i; order[to].at >= 0; {
			from := order[to].at
			order[to].at = -1 // done
			if from == i {
				all[to] = first
				break
			}
			all[to] = all[from]
			to = from
		}
	}
}
