package sorting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBy sorts random lists as slices.SortStableFunc does.
func TestBy(t *testing.T) {
	type pair struct{ key, place int }
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list := make([]pair, r.IntN(60))
		for i := range list {
			list[i] = pair{r.IntN(10), i}
		}
		want := slices.Clone(list)
		byKey := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
		slices.SortStableFunc(want, byKey)
		if By(list, byKey); !slices.Equal(list, want) {
			t.Fatalf("%v, want %v", list, want)
		}
	}
}
