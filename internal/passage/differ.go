package passage

import (
	"slices"
	"strings"
)

// differ sets the position of the first difference. wanted may start and end
// within a line.
func (p *Passage) differ(wanted []string) {
	last := len(wanted) - 1
	for i, w := range wanted {
		if i == len(p.Lines) {
			p.at(i-1, len([]rune(p.Lines[i-1])), End, '\n')
			return
		}
		line := p.Lines[i]
		switch {
		case line == w,
			i == 0 && i == last && strings.Contains(line, w),
			i == 0 && i < last && strings.HasSuffix(line, w),
			i > 0 && i == last && strings.HasPrefix(line, w):
			continue
		}
		p.inLine(i, []rune(line), []rune(w), i == 0, i == last)
		return
	}
	p.Found, p.Wanted = End, End // no difference
}

func (p *Passage) at(i, column int, found, wanted rune) {
	p.Line, p.Column, p.Found, p.Wanted = p.First+i, column+1, found, wanted
}

func first(r []rune) rune {
	if len(r) == 0 {
		return '\n'
	}
	return r[0]
}

// inLine sets the position of the first difference between a line and the wanted
// line, which may start (within) and end (ends) inside it.
func (p *Passage) inLine(i int, line, want []rune, within, ends bool) {
	start := 0
	if within {
		start, _ = align(line[:min(len(line), maxLine)], want[:min(len(want), maxLine/4)], ends)
	}
	n := 0
	for n < len(want) && start+n < len(line) && want[n] == line[start+n] {
		n++
	}
	found, wanted := first(line[start+n:]), first(want[n:])
	if ends && n == len(want) {
		wanted = End
	}
	p.at(i, start+n, found, wanted)
}

// align finds the part of line that is most similar to want and returns its start
// and its edit distance (Sellers' algorithm). The part may start anywhere and, if
// ends is set, end anywhere. Of equal parts one that begins like want counts.
func align(line, want []rune, ends bool) (start, cost int) {
	costs, starts := make([]int, len(line)+1), make([]int, len(line)+1)
	for j := range starts {
		starts[j] = j
	}
	begins := func(at int) bool { return at < len(line) && line[at] == want[0] }
	for i, w := range want {
		next, from := make([]int, len(line)+1), make([]int, len(line)+1)
		next[0], from[0] = i+1, 0
		for j, c := range line {
			cost := costs[j]
			if c != w {
				cost++
			}
			next[j+1], from[j+1] = cost, starts[j]
			if d := costs[j+1] + 1; d < next[j+1] {
				next[j+1], from[j+1] = d, starts[j+1]
			}
			if d := next[j] + 1; d < next[j+1] || d == next[j+1] && begins(from[j]) && !begins(from[j+1]) {
				next[j+1], from[j+1] = d, from[j]
			}
		}
		costs, starts = next, from
	}
	best := len(line)
	if ends {
		best = slices.Index(costs, slices.Min(costs))
	}
	return starts[best], costs[best]
}
