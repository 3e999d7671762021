package pattern

import "bytes"

// Scanner finds the matching lines of texts. It serves one goroutine.
type Scanner struct {
	p      *Pattern
	finder *finder
	dfa    *dfa

	// What candidates were worth: those that no match stood behind, and the
	// bytes that they were found in.
	failed, scanned int
}

// Scanner returns a new scanner. What it learns about texts it keeps.
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

// Span is a line that matches, without its end, as offsets into the text.
// Inside is a place near the match.
type Span struct{ Start, End, Inside int }

// Next finds the first line from the offset on that matches. The text consists
// of whole lines, the last of which may lack its end; from is where one begins.
// For patterns over many lines see All.
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

// Tunings of Scanner, found by measuring.
const (
	probation = 2000 // candidates before they are judged
	fewBytes  = 40   // a failed candidate costs as much as the automaton on these
	fewSteps  = 20   // flushes of the automaton before it is judged
)

// dense reports whether candidates come too often for nothing.
func (s *Scanner) dense() bool {
	return s.failed > probation && s.failed*fewBytes > s.scanned
}

// thrashes reports whether the automaton makes more states than it uses.
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
		if !ok || start < line { // a run never begins before its line
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

// around is the line of a place that is not before from.
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

// matches decides about one line.
func (s *Scanner) matches(line []byte, span *Span) bool {
	if s.dfa == nil || s.thrashes() {
		re := s.p.regexp()
		return re != nil && re.Match(line)
	}
	at, ok := s.dfa.line(line)
	span.Inside = span.Start + at
	return ok
}

// nextState shows all of the text to the automaton.
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

// nextStandard asks package regexp about line after line.
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

// maxView is how much of a line is looked at for the place of the match.
const maxView = 16 << 10

// Place returns where a match begins and ends in a matching line; inside is a
// place near it, from Span, as an offset into the line. It is -1 when that
// cannot be told.
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
