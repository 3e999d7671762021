package pattern

import (
	"regexp/syntax"
	"slices"
)

// opcode is the operation of an instruction.
type opcode uint8

const (
	opByte  opcode = iota // matches a byte from lo to hi
	opNode                // matches the first byte of a node of a trie
	opSplit               // continues at each of outs
	opLook                // continues if an assertion holds
	opMatch
)

// look is a zero-width assertion about the bytes around a position.
type look uint8

const (
	lookLineStart look = 1 << iota
	lookLineEnd
	lookWordBoundary
	lookNoWordBoundary
	lookAfterNoWord  // no word character before
	lookBeforeNoWord // no word character after
	lookTextStart
	lookTextEnd
)

// wordLooks are the assertions about word characters.
const wordLooks = lookWordBoundary | lookNoWordBoundary | lookAfterNoWord | lookBeforeNoWord

// inst is an instruction of a byte-based NFA.
type inst struct {
	op     opcode
	lo, hi byte
	look   look
	out    int32
	base   int32    // the instruction of the first node of the trie
	node   trieNode // of opNode
	outs   []int32  // in the order of their priority
}

// maxProgram is the largest NFA, in instructions. An instruction takes 72 bytes.
const maxProgram = 400_000

// program is an NFA over bytes, of one line unless multiline is set.
type program struct {
	insts     []inst
	start     int32
	multiline bool
	unicode   bool       // the assertions about words are Unicode
	looks     look       // all assertions of the program
	class     [256]byte  // equivalence class of each byte
	first     *[256]bool // the bytes with which a match may begin; nil if one may be empty

	suffix map[suffixKey]int32
	tries  map[*rune]trie // of the classes that were compiled
	large  bool
}

// needsMatcher reports whether the DFA cannot decide about a line: Unicode word
// boundaries depend on the whole next character.
func (p *program) needsMatcher() bool { return p.unicode && p.looks&wordLooks != 0 }

type suffixKey struct {
	bytesRange
	out int32
}

// compile builds the NFA of a simplified expression, or returns nil if it would be
// too large.
func compile(re *syntax.Regexp, o Options) *program {
	p := &program{multiline: o.Multiline, unicode: !o.ASCII, suffix: map[suffixKey]int32{}, tries: map[*rune]trie{}}
	out := p.add(inst{op: opMatch})
	if o.Word {
		out = p.lookFor(lookBeforeNoWord, out)
	}
	p.start = p.compile(re, out)
	if o.Word {
		p.start = p.lookFor(lookAfterNoWord, p.start)
	}
	if p.large {
		return nil
	}
	p.suffix, p.tries = nil, nil
	p.classes()
	p.first = p.firstBytes()
	return p
}

func (p *program) add(i inst) int32 {
	if len(p.insts) >= maxProgram {
		p.large = true
		return 0
	}
	p.insts = append(p.insts, i)
	return int32(len(p.insts) - 1)
}

func (p *program) lookFor(l look, out int32) int32 {
	p.looks |= l
	return p.add(inst{op: opLook, look: l, out: out})
}

// compile adds the instructions of an expression that continues at out, and
// returns the first of them.
func (p *program) compile(re *syntax.Regexp, out int32) int32 {
	if p.large {
		return 0
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return out
	case syntax.OpLiteral:
		for i := len(re.Rune) - 1; i >= 0; i-- {
			r := re.Rune[i]
			if re.Flags&syntax.FoldCase != 0 {
				out = p.runes(folds(r), out)
			} else {
				out = p.runes([]rune{r, r}, out)
			}
		}
		return out
	case syntax.OpCharClass:
		return p.runes(re.Rune, out)
	case syntax.OpAnyCharNotNL:
		return p.runes([]rune{0, '\n' - 1, '\n' + 1, 0x10ffff}, out)
	case syntax.OpAnyChar:
		return p.runes([]rune{0, 0x10ffff}, out)
	case syntax.OpCapture:
		return p.compile(re.Sub[0], out)
	case syntax.OpConcat:
		for i := len(re.Sub) - 1; i >= 0; i-- {
			out = p.compile(re.Sub[i], out)
		}
		return out
	case syntax.OpAlternate:
		outs := make([]int32, len(re.Sub))
		for i, s := range re.Sub {
			outs[i] = p.compile(s, out)
		}
		return p.add(inst{op: opSplit, outs: outs})
	case syntax.OpQuest:
		return p.choice(re, p.compile(re.Sub[0], out), out)
	case syntax.OpStar, syntax.OpPlus:
		return p.loop(re, out)
	}
	if l := p.lookOf(re.Op); l != 0 {
		return p.lookFor(l, out)
	}
	return p.add(inst{op: opSplit}) // OpNoMatch has no successor
}

// choice adds a choice between a repetition's body and what follows it.
func (p *program) choice(re *syntax.Regexp, body, out int32) int32 {
	if re.Flags&syntax.NonGreedy != 0 {
		return p.add(inst{op: opSplit, outs: []int32{out, body}})
	}
	return p.add(inst{op: opSplit, outs: []int32{body, out}})
}

// loop adds a repetition without an upper bound.
func (p *program) loop(re *syntax.Regexp, out int32) int32 {
	loop := p.choice(re, out, out)
	body := p.compile(re.Sub[0], loop)
	if p.large {
		return 0
	}
	if re.Flags&syntax.NonGreedy != 0 {
		p.insts[loop].outs[1] = body
	} else {
		p.insts[loop].outs[0] = body
	}
	switch {
	case re.Op == syntax.OpPlus:
		return body
	case isNullable(re.Sub[0]): // (x*)* is (x+)?, as in package regexp
		return p.choice(re, body, out)
	}
	return loop
}

// isNullable reports whether an expression may match the empty text.
func isNullable(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !isNullable(s) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, isNullable)
	case syntax.OpCapture, syntax.OpPlus:
		return isNullable(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || isNullable(re.Sub[0])
	}
	return true
}

// lookOf returns the assertion of an operator. Unless the program is multiline,
// each line is a text of its own.
func (p *program) lookOf(op syntax.Op) look {
	switch {
	case p.multiline && op == syntax.OpBeginText:
		return lookTextStart
	case p.multiline && op == syntax.OpEndText:
		return lookTextEnd
	}
	switch op {
	case syntax.OpBeginLine, syntax.OpBeginText:
		return lookLineStart
	case syntax.OpEndLine, syntax.OpEndText:
		return lookLineEnd
	case syntax.OpWordBoundary:
		return lookWordBoundary
	case syntax.OpNoWordBoundary:
		return lookNoWordBoundary
	}
	return 0
}

// manySequences is the number of sequences from which a class becomes a trie.
const manySequences = 20

// runes adds a character class, given as pairs of runes. Unless the program is
// multiline, it does not include the newline.
func (p *program) runes(ranges []rune, out int32) int32 {
	if len(ranges) > 0 && p.tries[&ranges[0]] != nil {
		return p.trie(p.tries[&ranges[0]], out)
	}
	var all []sequence
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo <= '\n' && '\n' <= hi && !p.multiline {
			all = append(all, sequences(lo, '\n'-1)...)
			lo = '\n' + 1
		}
		all = append(all, sequences(lo, hi)...)
	}
	if len(all) > manySequences {
		t := newTrie(all)
		p.tries[&ranges[0]] = t
		return p.trie(t, out)
	}
	outs := make([]int32, 0, len(all))
	for _, s := range all {
		at := out
		for i := len(s) - 1; i >= 0; i-- {
			at = p.shared(s[i], at)
		}
		outs = append(outs, at)
	}
	if len(outs) == 1 {
		return outs[0]
	}
	return p.add(inst{op: opSplit, outs: outs})
}

func (p *program) trie(t trie, out int32) int32 {
	base := int32(len(p.insts))
	for _, n := range t {
		p.add(inst{op: opNode, node: n, base: base, out: out})
	}
	return base
}

// shared adds a byte instruction, or returns an equal one that exists.
func (p *program) shared(r bytesRange, out int32) int32 {
	key := suffixKey{r, out}
	if at, ok := p.suffix[key]; ok {
		return at
	}
	at := p.add(inst{op: opByte, lo: r.lo, hi: r.hi, out: out})
	p.suffix[key] = at
	return at
}

// classes computes the equivalence classes of bytes.
func (p *program) classes() {
	var ends [257]bool
	split := func(lo, hi byte) { ends[lo], ends[int(hi)+1] = true, true }
	split('\n', '\n')
	for _, i := range p.insts {
		if i.op == opByte {
			split(i.lo, i.hi)
		}
		for _, r := range i.node {
			split(r.lo, r.hi)
		}
	}
	if p.looks&wordLooks != 0 {
		for _, r := range []bytesRange{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0x80, 0xbf}} {
			split(r.lo, r.hi)
		}
	}
	class := -1
	for b := range 256 {
		if b == 0 || ends[b] {
			class++
		}
		p.class[b] = byte(class)
	}
}
