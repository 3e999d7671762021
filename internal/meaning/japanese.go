package meaning

import (
	"slices"
	"unicode/utf8"
)

const (
	unknownCost = 8 * 30 // of a character that no entry has
	longestRun  = 256    // characters that are cut together
)

// cut is the cheapest way to a place in a Japanese run: the place before it and the
// row of the entry between them, or -1.
type cut struct {
	cost, from, row int32
}

// Segments cuts a run of Japanese characters into its likeliest words and endings.
func Segments(run string) (words []string) {
	builtIn.cutRun(run, func(word string, _ int) { words = append(words, word) })
	return words
}

// japanese uses the entries of the cheapest split of a run.
func (t *table) japanese(run string, use func(int)) {
	t.cutRun(run, func(_ string, row int) {
		if row >= 0 {
			use(row)
		}
	})
}

// cutRun uses each part of the cheapest split of a run, and its row or -1.
func (t *table) cutRun(run string, use func(part string, row int)) {
	text := []byte(run)
	for len(text) > 0 {
		var ends [longestRun + 1]int32
		n := 0
		for at := 0; at < len(text) && n < longestRun; n++ {
			_, size := utf8.DecodeRune(text[at:])
			at += size
			ends[n+1] = int32(at)
		}
		t.split(text, ends[:n+1], func(from, to int32, row int) { use(run[from:to], row) })
		text, run = text[ends[n]:], run[ends[n]:]
	}
}

// cost returns the cost of the cheapest split of a run of at most longestRun characters.
func (t *table) cost(run string) int32 {
	ends, cuts := t.cuts(run, false)
	return cuts[len(ends)-1].cost
}

// words returns the parts of the cheapest split of such a run and its cost. parted excludes the run
// as a whole.
func (t *table) words(run string, parted bool) (words []string, cost int32) {
	ends, cuts := t.cuts(run, parted)
	for at := int32(len(ends) - 1); at > 0; at = cuts[at].from {
		words = append(words, run[ends[cuts[at].from]:ends[at]])
	}
	slices.Reverse(words)
	return words, cuts[len(ends)-1].cost
}

// cuts returns the ends of the characters of such a run and the cheapest way to each.
func (t *table) cuts(run string, parted bool) (ends []int32, cuts []cut) {
	ends = []int32{0}
	for i, r := range run {
		ends = append(ends, int32(i+utf8.RuneLen(r)))
	}
	cuts = make([]cut, len(ends))
	t.cheapest([]byte(run), ends, cuts, parted)
	return ends, cuts
}

// cheapest finds the cheapest way to each place of the text whose characters end at ends[1:].
// parted excludes the text as a whole.
func (t *table) cheapest(text []byte, ends []int32, cuts []cut, parted bool) {
	for i := range cuts[1:] {
		cuts[i+1].cost = 1 << 30
	}
	better := func(from, to int, cost int32, row int) {
		if cost += cuts[from].cost; cost < cuts[to].cost {
			cuts[to] = cut{cost, int32(from), int32(row)}
		}
	}
	for i := range len(cuts) - 1 {
		better(i, i+1, unknownCost, -1)
		h := uint64(start)
		for j := i + 1; j < len(cuts) && j <= i+longestJapanese; j++ {
			h = hash(h, text[ends[j-1]:ends[j]])
			if e, ok := t.lookup(h); ok && !(parted && j-i == len(cuts)-1) {
				better(i, j, int32(e.cost), e.row)
			}
		}
	}
}

// split uses the parts of the cheapest split of the text whose characters end at
// ends[1:].
func (t *table) split(text []byte, ends []int32, use func(from, to int32, row int)) {
	var buffer [longestRun + 1]cut
	cuts := buffer[:len(ends)]
	t.cheapest(text, ends, cuts, false)
	var places [longestRun + 1]int32
	n := 0
	for at := int32(len(cuts) - 1); at > 0; at = cuts[at].from {
		places[n] = at
		n++
	}
	for n--; n >= 0; n-- {
		to := places[n]
		from := cuts[to].from
		use(ends[from], ends[to], int(cuts[to].row))
	}
}
