package pattern

import "bytes"

// Scanner finds the matching lines of texts. It is not safe for concurrent use.
type Scanner struct {
	p      *Pattern
	finder *finder
	dfa    *dfa

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
	if p.program != nil {
		s.dfa = newDFA(p.program)
	}
	return s
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
	case s.dfa != nil && !s.thrashes():
		return s.nextState(text, from)
	}
	return s.nextStandard(text, from)
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
	return s.dfa.flushed > fewSteps && s.dfa.flushed*maxStates*10 > s.scanned
}

func (s *Scanner) nextCandidate(text []byte, from int) (Span, bool) {
	line := from
	for at := from; ; {
		i := s.finder.candidate(text, at)
		if i < 0 {
			s.scanned += len(text) - from
			return Span{}, false
		}
		start, ok := s.finder.holds(text, i)
		if !ok || start < line { // a run lies within one line
			s.failed++
			at = i + 1
			continue
		}
		span := around(text, line, start)
		if s.p.plan.exact || s.matches(text[span.Start:span.End], &span) {
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

// matches reports whether one line matches.
func (s *Scanner) matches(line []byte, span *Span) bool {
	if s.dfa == nil || s.thrashes() {
		re := s.p.regexp()
		return re != nil && re.Match(line)
	}
	at, ok := s.dfa.line(line)
	span.Inside = span.Start + at
	return ok
}

// nextState searches with the DFA alone.
func (s *Scanner) nextState(text []byte, from int) (Span, bool) {
	at, end, found := s.dfa.find(s.dfa.start, text[from:])
	s.scanned += at
	switch {
	case found:
		return around(text, from, from+at), true
	case text[len(text)-1] != '\n' && s.dfa.ends(end):
		return around(text, from, len(text)), true
	}
	return Span{}, false
}

// nextStandard searches line by line with package regexp.
func (s *Scanner) nextStandard(text []byte, from int) (Span, bool) {
	re := s.p.regexp()
	for re != nil && from < len(text) {
		span := around(text, from, from)
		if re.Match(text[span.Start:span.End]) {
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
		to = min(len(line), from+maxView)
	}
	re := p.regexp()
	if re == nil {
		return -1, -1
	}
	m := re.FindSubmatchIndex(line[from:to])
	switch {
	case m == nil:
		return -1, -1
	case p.word:
		return from + m[2], from + m[3]
	}
	return from + m[0], from + m[1]
}
