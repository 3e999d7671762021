// Package sorting sorts lists. slices.SortFunc and slices.SortStableFunc are compiled anew for each
// type of element, with 8 to 32 KB of code; By takes less than 1 KB for each. It is for lists that
// are short, or rarely sorted.
package sorting

import "sort"

// By sorts a list by a comparison. Equal elements keep their order.
func By[T any](list []T, compare func(a, b T) int) {
	sort.Stable(&byComparison[T]{list, compare})
}

type byComparison[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (s *byComparison[T]) Len() int           { return len(s.list) }
func (s *byComparison[T]) Less(i, k int) bool { return s.compare(s.list[i], s.list[k]) < 0 }
func (s *byComparison[T]) Swap(i, k int)      { s.list[i], s.list[k] = s.list[k], s.list[i] }
