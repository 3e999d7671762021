package pattern

import (
	"regexp/syntax"
	"slices"
)

// Limits of a plan.
const (
	maxRuns = 32  // runs of a plan
	maxRun  = 128 // bytes of a run

	// The vector code compares up to four bytes, or eight. Eight cost twice as much,
	// and pay off if four match too often.
	shortWindow = 4
	maxWindow   = 8
	oftenEnough = 0.001 // candidates per byte above which eight bytes are compared

	// Candidates per byte above which the DFA alone is faster.
	tooDense      = 0.02
	tooDenseExact = 0.05
)

// run is a sequence of byte sets.
type run struct {
	sets []set
	open bool // more characters follow, whose length varies
}

// openPenalty raises the score of open runs: their characters are rare in source
// code, for which frequencies were counted, but not in other texts.
const openPenalty = 16

// plan is the set of runs to search for in place of an expression.
type plan struct {
	runs   []run // every match contains one of them; empty if no selective runs exist
	exact  bool  // every line that contains a run matches
	window int   // number of bytes of a run that the finder compares
}

// newPlan chooses the runs to search for.
func newPlan(re *syntax.Regexp, o Options) plan {
	p := planner{multiline: o.Multiline}
	if !o.Multiline {
		re = trim(re, true, true)
	}
	if all := p.whole(re); all != nil && !o.Word && !o.Multiline {
		if s := score(all, maxWindow); s < tooDenseExact {
			return plan{all, !p.widened, windowFor(all)}
		}
	}
	p.required(re)
	if p.best == nil || p.score > tooDense {
		return plan{}
	}
	return plan{p.best, false, windowFor(p.best)}
}

// windowFor chooses the number of bytes to compare.
func windowFor(runs []run) int {
	if score(runs, shortWindow) < oftenEnough {
		return shortWindow
	}
	return maxWindow
}

// trim reduces repetitions at the ends of an expression to their minimum. The
// length of a match is irrelevant to whether a line matches.
func trim(re *syntax.Regexp, left, right bool) *syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return trim(re.Sub[0], left, right)
	case syntax.OpPlus:
		return trim(re.Sub[0], left, right)
	case syntax.OpStar, syntax.OpQuest:
		return &syntax.Regexp{Op: syntax.OpEmptyMatch}
	case syntax.OpRepeat:
		if re.Min == 0 {
			return &syntax.Regexp{Op: syntax.OpEmptyMatch}
		}
		least := *re
		least.Max = re.Min
		return &least
	case syntax.OpAlternate:
		alt := *re
		alt.Sub = slices.Clone(re.Sub)
		for i, s := range alt.Sub {
			alt.Sub[i] = trim(s, left, right)
		}
		return &alt
	case syntax.OpConcat:
		cat := *re
		cat.Sub = slices.Clone(re.Sub)
		// If an element becomes empty, its neighbour is the new end.
		for i := 0; left && i < len(cat.Sub); i++ {
			if cat.Sub[i] = trim(cat.Sub[i], true, false); cat.Sub[i].Op != syntax.OpEmptyMatch {
				break
			}
		}
		for i := len(cat.Sub) - 1; right && i >= 0; i-- {
			if cat.Sub[i] = trim(cat.Sub[i], false, true); cat.Sub[i].Op != syntax.OpEmptyMatch {
				break
			}
		}
		return &cat
	}
	return re
}

// planner derives the runs that a match must contain.
type planner struct {
	multiline bool
	widened   bool // a run matches more than the expression does
	best      []run
	score     float64
}

// whole returns the runs that are equivalent to the expression, or nil if there
// are too many or their length varies. An assertion is an empty run.
func (p *planner) whole(re *syntax.Regexp) []run {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []run{{}}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary,
		syntax.OpNoWordBoundary:
		p.widened = true
		return []run{{}}
	case syntax.OpCapture:
		return p.whole(re.Sub[0])
	case syntax.OpLiteral:
		return p.literal(re)
	case syntax.OpCharClass:
		return p.class(re.Rune)
	case syntax.OpQuest:
		return union([]run{{}}, p.whole(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min != re.Max {
			return nil
		}
		return p.times(re.Sub[0], re.Min)
	case syntax.OpAlternate:
		var all []run
		for i, s := range re.Sub {
			runs := p.whole(s)
			if i == 0 {
				all = runs
			} else {
				all = union(all, runs)
			}
			if all == nil {
				return nil
			}
		}
		return all
	case syntax.OpConcat:
		all := []run{{}}
		for _, s := range re.Sub {
			if all = cross(all, p.whole(s)); all == nil {
				return nil
			}
		}
		return all
	}
	return nil
}

// times returns the runs of n repetitions of an expression.
func (p *planner) times(re *syntax.Regexp, n int) []run {
	all := []run{{}}
	for one := p.whole(re); n > 0 && all != nil; n-- {
		all = cross(all, one)
	}
	return all
}

func union(a, b []run) []run {
	if a == nil || b == nil || len(a)+len(b) > maxRuns {
		return nil
	}
	return append(slices.Clip(a), b...)
}

func cross(a, b []run) (all []run) {
	closed := 0
	for _, x := range a {
		if !x.open {
			closed++
		}
	}
	if a == nil || b == nil || closed*len(b)+len(a)-closed > maxRuns {
		return nil
	}
	for _, x := range a {
		if x.open {
			all = append(all, x)
			continue
		}
		for _, y := range b {
			if len(x.sets)+len(y.sets) > maxRun {
				return nil
			}
			all = append(all, run{append(slices.Clip(x.sets), y.sets...), y.open})
		}
	}
	return all
}

// required walks an expression and keeps the rarest list of runs of which every
// match contains one.
func (p *planner) required(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		p.required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			p.required(re.Sub[0])
			p.consider(p.times(re.Sub[0], re.Min))
		}
	case syntax.OpConcat, syntax.OpLiteral:
		p.requiredOfConcat(parts(re))
	case syntax.OpAlternate:
		var all []run
		for i, s := range re.Sub {
			sub := planner{multiline: p.multiline}
			sub.required(s)
			if sub.best == nil {
				return
			}
			if i == 0 {
				all = sub.best
			} else if all = union(all, sub.best); all == nil {
				return
			}
		}
		p.consider(all)
	default:
		p.consider(p.whole(re))
	}
}

// parts splits a concatenation, and case-folded literals into letters.
func parts(re *syntax.Regexp) (all []*syntax.Regexp) {
	switch {
	case re.Op == syntax.OpCapture:
		return parts(re.Sub[0])
	case re.Op == syntax.OpConcat:
		for _, s := range re.Sub {
			all = append(all, parts(s)...)
		}
		return all
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0:
		for _, r := range re.Rune {
			all = append(all, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}})
		}
		return all
	}
	return []*syntax.Regexp{re}
}

// repeated returns the runs at the start and end of a repetition.
func (p *planner) repeated(re *syntax.Regexp) []run {
	switch {
	case re.Op == syntax.OpPlus:
		return p.whole(re.Sub[0])
	case re.Op == syntax.OpRepeat && re.Min > 0:
		return p.times(re.Sub[0], re.Min)
	}
	return nil
}

func (p *planner) requiredOfConcat(all []*syntax.Regexp) {
	current := []run{{}}
	join := func(runs []run) []run {
		next := cross(current, runs)
		if next == nil { // too many: consider the runs so far on their own
			p.consider(current)
			next = runs
		}
		return next
	}
	for _, s := range all {
		if w := p.whole(s); w != nil {
			p.considerBefore(current, w)
			current = join(w)
		} else if w := p.repeated(s); w != nil {
			p.considerBefore(current, w)
			p.consider(join(w))
			current = w // the last repetition continues into the next element
		} else {
			p.consider(current)
			p.required(s)
			current = []run{{}}
		}
	}
	p.consider(current)
}

// considerBefore considers the runs before others that are open: alone they may be
// rarer in texts beyond ASCII.
func (p *planner) considerBefore(runs, next []run) {
	if slices.ContainsFunc(next, func(r run) bool { return r.open }) {
		p.consider(runs)
	}
}

// consider keeps runs if they are rarer than the best so far.
func (p *planner) consider(runs []run) {
	if runs == nil {
		return
	}
	if s := score(runs, maxWindow); s < 1 && (p.best == nil || s < p.score) {
		p.best, p.score = runs, s
	}
}

// score estimates the number of candidates per byte of text, for windows of n
// bytes.
func score(runs []run, n int) (sum float64) {
	for _, r := range runs {
		_, s := r.window(n)
		if r.open {
			s *= openPenalty
		}
		sum += s
	}
	return sum
}

// window returns the rarest part of a run of at most n bytes.
func (r run) window(n int) (start int, rarest float64) {
	rarest = 1
	for i := range r.sets {
		f := 1.0
		for _, s := range r.sets[i:min(i+n, len(r.sets))] {
			f *= s.frequency()
		}
		if f < rarest {
			start, rarest = i, f
		}
	}
	return start, rarest
}

func (r run) matches(b []byte) bool {
	if len(b) < len(r.sets) {
		return false
	}
	for i := range r.sets {
		if !r.sets[i].has(b[i]) {
			return false
		}
	}
	return true
}
