// Package nearest suggests corrections for misspelt names.
package nearest

import (
	"slices"
	"strings"

	"techo/internal/sorting"
)

// Of returns the candidates that are similar to name, the nearest first, at most
// three. It returns none if no candidate is similar enough: a candidate shares at
// least one character with name.
func Of(name string, candidates []string) []string {
	type scored struct {
		text string
		cost int
	}
	low := strings.ToLower(name)
	most := max(1, len([]rune(name))/3)
	var near []scored
	for _, c := range candidates {
		d := Distance(low, strings.ToLower(c), most)
		if d > most && len(low) >= 3 &&
			(strings.HasPrefix(strings.ToLower(c), low) || strings.HasPrefix(low, strings.ToLower(c)) && len(c) >= 3) {
			d = most // one is a prefix of the other
		}
		if d <= most && d < max(len([]rune(name)), len([]rune(c))) {
			near = append(near, scored{c, d})
		}
	}
	sorting.By(near, func(a, b scored) int { return a.cost - b.cost })
	var texts []string
	for _, n := range near[:min(len(near), 3)] {
		texts = append(texts, n.text)
	}
	return texts
}

// Distance returns the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b, in characters (optimal string alignment). It
// stops counting beyond limit and returns a larger number.
func Distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	var before []int
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) > limit {
			return limit + 1
		}
		before, last = last, row
	}
	return last[len(y)]
}
