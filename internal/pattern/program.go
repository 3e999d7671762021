package pattern

import (
	"regexp/syntax"
)

// opcode is the operation of an instruction.
type opcode uint8

const (
	opByte  opcode = iota // matches a byte from lo to hi
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
)

// inst is an instruction of a byte-based NFA.
type inst struct {
	op     opcode
	lo, hi byte
	look   look
	out    int32
	outs   []int32
}

// maxProgram is the largest NFA, in instructions. Package regexp runs larger ones.
const maxProgram = 20_000

// program is an NFA over the bytes of one line.
type program struct {
	insts  []inst
	start  int32
	looks  look      // all assertions of the program
	class  [256]byte // equivalence class of each byte
	sample []byte    // one byte of each class

	suffix map[suffixKey]int32
	large  bool
}

type suffixKey struct {
	bytesRange
	out int32
}

// compile builds the NFA of a simplified expression, or returns nil if it would be
// too large.
func compile(re *syntax.Regexp, word bool) *program {
	p := &program{suffix: map[suffixKey]int32{}}
	out := p.add(inst{op: opMatch})
	if word {
		out = p.lookFor(lookBeforeNoWord, out)
	}
	p.start = p.compile(re, out)
	if word {
		p.start = p.lookFor(lookAfterNoWord, p.start)
	}
	if p.large {
		return nil
	}
	p.suffix = nil
	p.classes()
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
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
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
		return p.add(inst{op: opSplit, outs: []int32{p.compile(re.Sub[0], out), out}})
	case syntax.OpStar, syntax.OpPlus:
		loop := p.add(inst{op: opSplit})
		body := p.compile(re.Sub[0], loop)
		p.insts[loop].outs = []int32{body, out}
		if re.Op == syntax.OpPlus {
			return body
		}
		return loop
	}
	if l := lookOf(re.Op); l != 0 {
		return p.lookFor(l, out)
	}
	return p.add(inst{op: opSplit}) // OpNoMatch has no successor
}

// lookOf returns the assertion of an operator. Each line is a text of its own.
func lookOf(op syntax.Op) look {
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

// runes adds a character class, given as pairs of runes. It never includes the
// newline.
func (p *program) runes(ranges []rune, out int32) int32 {
	var outs []int32
	for i := 0; i < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo <= '\n' && '\n' <= hi {
			outs = p.addSequences(outs, lo, '\n'-1, out)
			lo = '\n' + 1
		}
		outs = p.addSequences(outs, lo, hi, out)
	}
	if len(outs) == 1 {
		return outs[0]
	}
	return p.add(inst{op: opSplit, outs: outs})
}

func (p *program) addSequences(outs []int32, lo, hi rune, out int32) []int32 {
	for _, s := range sequences(lo, hi) {
		at := out
		for i := len(s) - 1; i >= 0; i-- {
			at = p.shared(s[i], at)
		}
		outs = append(outs, at)
	}
	return outs
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
	}
	if p.looks&^(lookLineStart|lookLineEnd) != 0 {
		for _, r := range []bytesRange{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0x80, 0xbf}} {
			split(r.lo, r.hi)
		}
	}
	class := -1
	for b := range 256 {
		if b == 0 || ends[b] {
			class++
			p.sample = append(p.sample, byte(b))
		}
		p.class[b] = byte(class)
	}
}

func isWord(b byte) bool {
	return b == '_' || b-'0' < 10 || b|0x20-'a' < 26 && b < 0x80
}
