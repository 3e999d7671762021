package pattern

import (
	"bytes"
	"unicode/utf8"
)

// Scanner finds the matching lines of texts. It is not safe for concurrent use.
type Scanner struct {
	p      *Pattern
	finder *finder
	dfa    *dfa
	lines  *matcher // created on first use

	// Statistics of the finder: candidates without a match, and bytes searched for
	// them.
	failed, scanned int
}

// Scanner returns a new scanner. A scanner adapts to the texts it has searched, so
// reuse it.
func (p *Pattern) Scanner() *Scanner {
	s := &Scanner{p: p}
	if len(p.plan.runs) > 0 {
		s.finder = newFinder(p.plan)
	}
	if !p.multiline {
		s.dfa = p.program.newDFA()
	}
	return s
}

func (s *Scanner) matcher() *matcher {
	if s.lines == nil {
		s.lines = s.p.program.newMatcher()
	}
	return s.lines
}

// Span is a matching line without its newline, as offsets into the text. Inside is
// an offset near the match.
type Span struct{ Start, End, Inside int }

// Next returns the first matching line at or after the offset from. The text
// consists of whole lines, except that the last may lack its newline; from must be
// the start of a line. For multiline patterns use All.
func (s *Scanner) Next(text []byte, from int) (Span, bool) {
	switch {
	case from >= len(text):
		return Span{}, false
	case s.finder != nil && !s.dense():
		return s.nextCandidate(text, from)
	case !s.thrashes():
		return s.nextState(text, from)
	}
	return s.nextLine(text, from)
}

// Tuning parameters, determined by measurement.
const (
	probation = 2000 // candidates before the finder may be abandoned
	fewBytes  = 40   // a false candidate costs as much as running the DFA over so many bytes
	fewSteps  = 20   // cache flushes before the DFA may be abandoned
)

// dense reports whether false candidates are too frequent for the finder to pay
// off.
func (s *Scanner) dense() bool {
	return s.failed > probation && s.failed*fewBytes > s.scanned
}

// thrashes reports whether the DFA builds more states than it reuses.
func (s *Scanner) thrashes() bool {
	return s.dfa == nil || s.dfa.flushed > fewSteps && s.dfa.flushed*maxStates*10 > s.scanned
}

func (s *Scanner) nextCandidate(text []byte, from int) (Span, bool) {
	line := from
	for at := from; ; {
		i := s.finder.candidate(text, at)
		if i < 0 {
			s.scanned += len(text) - from
			return Span{}, false
		}
		start, open, ok := s.finder.holds(text, i)
		if !ok || start < line { // a run lies within one line
			s.failed++
			at = i + 1
			continue
		}
		span := around(text, line, start)
		if s.p.plan.exact && !open || s.matches(text[span.Start:span.End], &span) {
			s.scanned += span.End - from
			return span, true
		}
		s.failed++
		if line = span.End + 1; line >= len(text) {
			s.scanned += len(text) - from
			return Span{}, false
		}
		at = line
	}
}

// around returns the line that contains the offset at, which is not before from.
func around(text []byte, from, at int) Span {
	s := Span{Start: from, End: len(text), Inside: at}
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 {
		s.Start = from + i + 1
	}
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		s.End = at + i
	}
	return s
}

func (s *Scanner) matches(line []byte, span *Span) bool {
	if s.thrashes() || s.p.program.needsMatcher() && ascii(line) < len(line) {
		start, _, ok := s.matcher().find(line, 0, len(line))
		span.Inside = span.Start + start
		return ok
	}
	at, ok := s.dfa.line(line)
	span.Inside = span.Start + at
	return ok
}

// ascii returns the length of the ASCII prefix of a text.
func ascii(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// nextState searches with the DFA alone.
func (s *Scanner) nextState(text []byte, from int) (Span, bool) {
	for from < len(text) {
		at, end, found := s.dfa.find(s.dfa.start, text[from:])
		s.scanned += at
		if !found && (text[len(text)-1] == '\n' || !s.dfa.ends(end)) {
			return Span{}, false
		}
		span := around(text, from, from+at)
		if !s.p.program.needsMatcher() || s.matches(text[span.Start:span.End], &span) {
			return span, true
		}
		from = span.End + 1
	}
	return Span{}, false
}

// nextLine searches line by line with the matcher.
func (s *Scanner) nextLine(text []byte, from int) (Span, bool) {
	for from < len(text) {
		span := around(text, from, from)
		if start, _, ok := s.matcher().find(text[span.Start:span.End], 0, span.End-span.Start); ok {
			span.Inside = span.Start + start
			return span, true
		}
		from = span.End + 1
	}
	return Span{}, false
}

// maxView is the part of a line, in bytes, in which the exact match is located.
const maxView = 16 << 10

// Place returns the start and end of a match in a matching line, as offsets into
// the line; inside is an offset near the match, from Span. It returns -1, -1 if
// the match cannot be located.
func (p *Pattern) Place(line []byte, inside int) (start, end int) {
	from, to := 0, len(line)
	if len(line) > maxView {
		from = max(0, min(inside, len(line))-maxView/2)
		for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
			from--
		}
		to = min(len(line), from+maxView)
	}
	start, end, ok := p.program.newMatcher().find(line, from, to)
	if !ok {
		return -1, -1
	}
	return start, end
}

// Places returns the bounds of all matches in a line that are not empty.
func (p *Pattern) Places(line []byte) (all [][2]int) {
	m := p.program.newMatcher()
	for at := 0; at < len(line); {
		start, end, ok := m.find(line, at, len(line))
		if !ok {
			break
		}
		if at = end; end > start {
			all = append(all, [2]int{start, end})
		} else {
			_, n := utf8.DecodeRune(line[end:])
			at = end + max(n, 1)
		}
	}
	return all
}

// InOtherForm reports whether a line matches only because canonically equivalent
// forms of a text (NFC and NFD) match each other.
func (p *Pattern) InOtherForm(line []byte) bool {
	if p.exact == nil {
		return false
	}
	_, _, ok := p.exact().newMatcher().find(line, 0, len(line))
	return !ok
}

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
		last := m.end - 1 // a newline belongs to the line that it ends
		if first < 0 || m.start > lines.End {
			if first >= 0 && !yield(lines, first) {
				return
			}
			lines, first = around(text, lines.Start, m.start), m.start
		}
		if last > lines.End {
			lines.End = around(text, last, last).End
		}
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
