package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAmong compares many texts at once, and each pair for itself.
func TestAmong(t *testing.T) {
	var texts []Text
	for i := range 60 {
		line := fmt.Sprintf("The port of crawler %d is %d.", i%20, 4000+i)
		texts = append(texts, Text{line, func() []string { return strings.Fields(line) }, time.Unix(int64(i%7), 0)})
	}
	replaced := 0
	for i, related := range Among(texts) {
		for _, r := range related {
			older, newer := texts[r.Index], texts[i]
			if older.At.After(newer.At) {
				older, newer = newer, older
			}
			if r.Index >= i || r.Relation == Other || Compare(Read(older.Full), Read(newer.Full)) != r.Relation {
				t.Errorf("%q: %+v is %q", texts[i].Full, r, texts[r.Index].Full)
			}
			if r.Relation == Replaces {
				replaced++
			}
		}
	}
	if replaced < 60 { // each port of a crawler replaces another one, or is replaced by one
		t.Errorf("%d replaced", replaced)
	}
	if len(Among(nil)) != 0 {
		t.Error("none has a relation")
	}
}

// TestSharing: of the texts before one, those come first that share rarer words.
func TestSharing(t *testing.T) {
	having := map[string][]int{"a": {0, 1, 2, 3, 4}, "b": {1, 4}, "c": {2, 3, 4, 5}}
	weights := make([]float64, 6)
	if got := sharing([]string{"a", "b", "c"}, having, 4, weights); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Error(got)
	}
	if slices.Max(weights) != 0 {
		t.Error(weights)
	}
	var many []int
	for i := range 40 {
		many = append(many, i)
	}
	got := sharing([]string{"a"}, map[string][]int{"a": many}, 40, make([]float64, 40))
	if !slices.Equal(got, many[:mostSharing]) {
		t.Error(got)
	}
}
