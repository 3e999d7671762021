package pattern

import (
	"regexp/syntax"
	"unicode"
)

// literal returns the runs of a literal. A case-folded letter includes the few
// non-ASCII characters that fold to it, such as the long s.
func (p *planner) literal(re *syntax.Regexp) []run {
	all := []run{{}}
	for _, r := range re.Rune {
		var next []run
		if re.Flags&syntax.FoldCase == 0 {
			next = p.class([]rune{r, r})
		} else {
			next = p.class(folds(r))
		}
		if all = cross(all, next); all == nil {
			return nil
		}
	}
	return all
}

// folds returns the runes that equal r under simple case folding, as ranges.
func folds(r rune) []rune {
	ranges := []rune{r, r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		ranges = append(ranges, f, f)
	}
	return ranges
}

// class returns the runs of a character class, given as ranges.
func (p *planner) class(ranges []rune) []run {
	var ascii set
	var all []run
	if isBroad(ranges) {
		return p.broadClass(ranges)
	}
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo < 0x80 {
			ascii.addRange(byte(lo), byte(min(hi, 0x7f)))
			lo = 0x80
		}
		if lo > hi {
			continue
		}
		if hi-lo > 1<<12 {
			return nil
		}
		for _, s := range sequences(lo, hi) {
			all = append(all, s.run())
		}
		if len(all) > maxRuns {
			return nil
		}
	}
	return p.withASCII(ascii, all)
}

// withASCII puts the run of a class's ASCII characters first.
func (p *planner) withASCII(ascii set, all []run) []run {
	if !p.multiline {
		ascii.remove('\n')
	}
	if ascii != (set{}) {
		all = append([]run{{sets: []set{ascii}}}, all...)
	}
	return all
}

// Limits of a class whose characters beyond ASCII are not enumerated.
const (
	broadRanges = 5       // ranges from which a class is broad
	negated     = 1 << 17 // a range as large as this belongs to a negated class
)

// isBroad reports whether a class has many characters beyond ASCII, such as \w.
func isBroad(ranges []rune) bool {
	n := 0
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1] < 0x80 {
			continue
		}
		if n++; ranges[i+1]-ranges[i] >= negated {
			return false
		}
	}
	return n > broadRanges
}

// broadClass returns the run of the ASCII characters of a class, and an open run of
// the first two bytes of all others.
func (p *planner) broadClass(ranges []rune) []run {
	var ascii, first, second set
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo < 0x80 {
			ascii.addRange(byte(lo), byte(min(hi, 0x7f)))
			lo = 0x80
		}
		for _, s := range sequences(lo, hi) {
			first.addRange(s[0].lo, s[0].hi)
			second.addRange(s[1].lo, s[1].hi)
		}
	}
	p.widened = p.widened || ascii == (set{})
	return p.withASCII(ascii, []run{{sets: []set{first, second}, open: true}})
}
