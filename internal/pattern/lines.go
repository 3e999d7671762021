package pattern

import "regexp"

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

// mayMatch reports whether the text contains any of the runs.
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

// extent is the range of a match.
type extent struct{ start, end int }

// The number of matches to request from package regexp at once. It grows from
// minBatch to usualBatch, since the caller may stop early. It grows to maxBatch,
// which bounds the memory, only where matches leave no line to restart at.
const (
	minBatch   = 2
	usualBatch = 64
	maxBatch   = 1 << 16
)

// matchesOf iterates over the matches of package regexp. That package finds either
// one match, and then loses the context before the next, or a given number of
// matches. So this function requests batches, and restarts each batch at the start
// of a line that no match spans. The text before that line affects only \A.
func (s *Scanner) matchesOf(text []byte) func(yield func(extent) bool) {
	return func(yield func(extent) bool) {
		n, end := minBatch, -1 // end of the last match
		for base := 0; base < len(text); {
			re := s.p.regexp
			if base > 0 {
				re = s.p.later
			}
			all := s.firstMatches(re(), text[base:], n)
			done, next := len(all), len(text)-base
			if len(all) == n {
				if done, next = restart(text[base:], all); done == 0 && n < maxBatch {
					n *= 4 // no line boundary between them: request more
					continue
				}
			}
			for _, m := range all[:done] {
				m.start, m.end = m.start+base, m.end+base
				if m.start == len(text) && text[m.start-1] == '\n' {
					return // after the last newline there is no line
				}
				if m.end == end && m.start == end {
					continue // an empty match directly after a match
				}
				if end = m.end; !yield(m) {
					return
				}
			}
			base, n = base+next, max(minBatch, min(4*n, usualBatch))
		}
	}
}

// firstMatches returns the first n matches.
func (s *Scanner) firstMatches(re *regexp.Regexp, text []byte, n int) (all []extent) {
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

// restart returns the start of the last line at which the next batch can begin,
// and the number of matches before it. Without such a line it returns 0, or, if
// the batch is as large as allowed, the position after the last match.
func restart(text []byte, all []extent) (before, from int) {
	for i := len(all) - 1; i > 0; i-- {
		begin := around(text, 0, all[i].start).Start
		if begin == 0 {
			break
		}
		for i > 0 && all[i-1].start >= begin { // on the same line
			i--
		}
		if i > 0 && all[i-1].end <= begin {
			return i, begin
		}
	}
	if len(all) < maxBatch {
		return 0, 0
	}
	end := all[len(all)-1].end
	if end > 0 && text[end-1] == '\n' {
		return len(all), end
	}
	return len(all), min(around(text, 0, end).End+1, len(text))
}
