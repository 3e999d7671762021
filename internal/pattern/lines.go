package pattern

import "unicode/utf8"

// All calls yield with the matches of a multiline pattern: the lines that a match
// touches and the offset of the match. Matches that touch the same line are
// reported once, at the offset of the first. All stops when yield returns false.
func (s *Scanner) All(text []byte, yield func(lines Span, start int) bool) {
	if s.finder != nil && !s.mayMatch(text) {
		return
	}
	var lines Span
	first := -1
	for m := range s.matchesOf(text) {
		touched := around(text, lines.Start, m.start)
		if last := m.end - 1; last >= touched.End { // a newline belongs to the line that it ends
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

func (s *Scanner) mayMatch(text []byte) bool {
	for at := 0; ; at++ {
		if at = s.finder.candidate(text, at); at < 0 {
			return false
		}
		if _, _, ok := s.finder.holds(text, at); ok {
			return true
		}
	}
}

// extent is the range of a match.
type extent struct{ start, end int }

// matchesOf iterates over the matches of a multiline pattern that do not overlap.
func (s *Scanner) matchesOf(text []byte) func(yield func(extent) bool) {
	return func(yield func(extent) bool) {
		last := -1 // end of the match before
		for at := 0; at <= len(text); {
			start, end, ok := s.matcher().find(text, at, len(text))
			if !ok || start == len(text) && start > 0 && text[start-1] == '\n' {
				return // after the last newline there is no line
			}
			at = end
			if end == start {
				_, n := utf8.DecodeRune(text[end:])
				at = end + max(n, 1)
			}
			if end == start && end == last {
				continue // an empty match directly after a match
			}
			if last = end; !yield(extent{start, end}) {
				return
			}
		}
	}
}
