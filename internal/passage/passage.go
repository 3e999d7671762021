// Package passage finds the part of a text that is most similar to another text,
// and the first character in which they differ.
package passage

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Passage is a range of lines that is similar to the wanted text.
type Passage struct {
	First int      // number of its first line, from 1
	Lines []string // without line ends

	// Line and Column (in characters) are the position of the first difference, from
	// 1. Found and Wanted are the characters at that position: End at the end of the
	// text, '\n' at the end of a line.
	Line, Column  int
	Found, Wanted rune

	Score float64 // similarity, at most 1
}

// End marks the end of the text, where no character follows.
const End rune = -1

// Limits of the search. It runs only after a failed edit, but on files of any
// size.
const (
	maxLines  = 200_000
	maxWanted = 400 // lines
	maxLine   = 2_000
	least     = 0.5
)

// Nearest returns the passage of text that is most similar to want and has as many
// lines. It returns false if no passage is at least half as similar as an equal
// one. "\n" ends a line in both.
//
// A window of lines is a candidate if one of its lines equals the corresponding
// line of want, ignoring blanks, case and width, or if it shares many bigrams with
// the longest line of want. Rare lines count for more than frequent ones. The best
// candidates are then scored line by line: the first and last line, which may be
// partial, by edit distance, the others by the Dice coefficient of their bigrams.
func Nearest(text, want string) (Passage, bool) {
	lines := strings.SplitN(text, "\n", maxLines+1)
	lines = lines[:min(len(lines), maxLines)]
	wanted := strings.SplitN(want, "\n", maxWanted+1)
	wanted = wanted[:min(len(wanted), maxWanted)]
	var best Passage
	for _, start := range candidates(lines, wanted) {
		if s := score(lines, wanted, start); s > best.Score {
			best = Passage{First: start + 1, Score: s}
		}
	}
	if best.Score < least {
		return Passage{}, false
	}
	start := best.First - 1
	best.Lines = lines[start:min(start+len(wanted), len(lines))]
	best.differ(wanted)
	return best, true
}

// plain normalizes a line for comparison: no blanks, one case, one width.
func plain(line string) string {
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' || r == '\u00ad' {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(line))
}

// candidates returns the start lines of windows that may be similar to wanted.
func candidates(lines, wanted []string) []int {
	at := map[string][]int{} // plain line to its indexes in wanted
	longest := ""
	for i, w := range wanted {
		p := plain(w)
		if p != "" {
			at[p] = append(at[p], i)
		}
		if len(p) > len(longest) {
			longest = p
		}
	}
	grams := newGrams(longest)
	votes, often := map[int]float64{}, map[string]int{}
	plains := make([]string, len(lines))
	for k, line := range lines {
		plains[k] = plain(line)
		often[plains[k]]++
	}
	for k, p := range plains {
		for _, i := range at[p] {
			if start := k - i; start >= 0 {
				votes[start] += float64(len(p)) / float64(often[p])
			}
		}
		if share := grams.share(p); share > 0.3 {
			for _, i := range at[longest] {
				if start := k - i; start >= 0 {
					votes[start] += share * share * float64(len(longest)) / 2
				}
			}
		}
	}
	starts := slices.SortedFunc(maps.Keys(votes), func(a, b int) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), a-b)
	})
	return starts[:min(len(starts), 50)]
}

// score compares a window of lines with wanted, weighted by line length.
func score(lines, wanted []string, start int) float64 {
	sum, all := 0.0, 0.0
	for i, w := range wanted {
		p := plain(w)
		weight := float64(len(p)) + 1
		all += weight
		if k := start + i; k < len(lines) {
			q := plain(lines[k])
			edge := i == 0 || i == len(wanted)-1
			if p == q || edge && p != "" && strings.Contains(q, p) {
				sum += weight
			} else {
				sum += weight * likeness(p, q, edge)
			}
		}
	}
	return sum / all
}

// grams is the set of trigrams of a text, or of bigrams if it is short.
type grams struct {
	size int
	set  map[[3]byte]bool
}

func newGrams(s string) grams {
	g := grams{3, map[[3]byte]bool{}}
	if len(s) < 16 {
		g.size = 2
	}
	for i := 0; i+g.size <= len(s); i++ {
		g.set[g.at(s, i)] = true
	}
	return g
}

func (g grams) at(s string, i int) (gram [3]byte) {
	copy(gram[:], s[i:i+g.size])
	return gram
}

// share returns the fraction of the set that occurs in s.
func (g grams) share(s string) float64 {
	if len(g.set) == 0 {
		return 0
	}
	seen := map[[3]byte]bool{}
	for i := 0; i+g.size <= len(s); i++ {
		if gram := g.at(s, i); g.set[gram] {
			seen[gram] = true
		}
	}
	return float64(len(seen)) / float64(len(g.set))
}

// likeness returns the similarity of two lines, from 0 to 1. With part set, it
// compares a with the most similar part of b.
func likeness(a, b string, part bool) float64 {
	if !part {
		return alike(a, b)
	}
	x, y := []rune(a), []rune(b)
	if len(x) == 0 || len(x) > maxLine/4 {
		return alike(a, b)
	}
	_, cost := align(y, x, true)
	return 1 - float64(cost)/float64(len(x))
}

// alike returns the Dice coefficient of the bigrams of two texts.
func alike(a, b string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	count := map[[2]byte]int{}
	for i := 0; i+2 <= len(b); i++ {
		count[[2]byte{b[i], b[i+1]}]++
	}
	n := 0
	for i := 0; i+2 <= len(a); i++ {
		if t := [2]byte{a[i], a[i+1]}; count[t] > 0 {
			count[t]--
			n++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b)-2)
}
