package pattern

import "regexp"

// All finds the matches of a pattern over many lines, each with the lines that
// it touches and its place; those that touch the same line are one, at the place
// of the first. It stops when yield returns false.
func (s *Scanner) All(text []byte, yield func(lines Span, start int) bool) {
	if s.finder != nil && !s.mayMatch(text) {
		return
	}
	var lines Span
	first := -1
	for m := range s.matchesOf(text) {
		touched := around(text, lines.Start, m.start)
		if last := m.end - 1; last >= touched.End { // an end of line at the end belongs to its line
			touched.End = around(text, last, last).End
		}
		if first >= 0 && touched.Start <= lines.End {
			lines.End = max(lines.End, touched.End)
			continue
		}
		if first >= 0 && !yield(lines, first) {
			return
		}
		lines, first = touched, m.start
	}
	if first >= 0 {
		yield(lines, first)
	}
}

// mayMatch reports whether a text has any of the runs.
func (s *Scanner) mayMatch(text []byte) bool {
	for at := 0; ; at++ {
		if at = s.finder.candidate(text, at); at < 0 {
			return false
		}
		if _, ok := s.finder.holds(text, at); ok {
			return true
		}
	}
}

// extent is where a match begins and ends.
type extent struct{ start, end int }

// How many matches are asked for at once: few at first, since nobody may want
// more. The most bounds the memory.
const (
	fewMatches  = 2
	someMatches = 64
	mostMatches = 1 << 16
)

// matchesOf goes through the matches of package regexp, which finds either one,
// and forgets what stands before the next, or a number of them. So it is asked
// for a number, again and again from the begin of a line that no match goes
// over: what is before that is of no consequence but for \A.
func (s *Scanner) matchesOf(text []byte) func(yield func(extent) bool) {
	return func(yield func(extent) bool) {
		n, end := fewMatches, -1 // of the last match
		for base := 0; base < len(text); {
			re := s.p.regexp
			if base > 0 {
				re = s.p.later
			}
			all := s.some(re(), text[base:], n)
			done, next := len(all), len(text)-base
			if len(all) == n {
				if done, next = restart(text[base:], all); done == 0 && n < mostMatches {
					n *= 4 // all of them stand in lines that go into each other
					continue
				}
			}
			for _, m := range all[:done] {
				m.start, m.end = m.start+base, m.end+base
				if m.start == len(text) && text[m.start-1] == '\n' {
					return // there is no line
				}
				if m.end == end && m.start == end {
					continue // nothing, next to a match
				}
				if end = m.end; !yield(m) {
					return
				}
			}
			base, n = base+next, max(fewMatches, min(4*n, someMatches))
		}
	}
}

// some finds the first n matches.
func (s *Scanner) some(re *regexp.Regexp, text []byte, n int) (all []extent) {
	if re == nil {
		return nil
	}
	for _, m := range re.FindAllSubmatchIndex(text, n) {
		if s.p.word {
			m = m[2:]
		}
		all = append(all, extent{m[0], m[1]})
	}
	return all
}

// restart finds the last begin of a line that matches may be looked for from
// anew, and how many of some are before it. If there is none that is the begin
// of the text; but for too many of them, behind the last.
func restart(text []byte, all []extent) (before, from int) {
	for i := len(all) - 1; i > 0; i-- {
		begin := around(text, 0, all[i].start).Start
		if begin == 0 {
			break
		}
		for i > 0 && all[i-1].start >= begin { // in the same line
			i--
		}
		if i > 0 && all[i-1].end <= begin {
			return i, begin
		}
	}
	if len(all) < mostMatches {
		return 0, 0
	}
	end := all[len(all)-1].end
	if end > 0 && text[end-1] == '\n' {
		return len(all), end
	}
	return len(all), min(around(text, 0, end).End+1, len(text))
}
