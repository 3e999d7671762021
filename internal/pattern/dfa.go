package pattern

import (
	"encoding/binary"
	"slices"
)

// maxStates is the number of states that are cached before the cache is cleared. A
// state takes 2 KiB.
const maxStates = 1000

// state is a state of the lazy DFA: the set of NFA instructions, before assertions
// are resolved, and the kind of the previous byte.
type state struct {
	next   [256]*state // nil: not computed yet, or a match
	match  set         // bytes that complete a match
	insts  []int32
	before before
}

// before describes the previous byte, as far as assertions depend on it.
type before uint8

const (
	beforeLineStart before = 1 << iota
	beforeWord
)

// dfa is a lazily built DFA. A match is reported at the byte after it, so a state
// needs no lookahead. A dfa is not safe for concurrent use.
type dfa struct {
	p      *program
	states map[string]*state
	free   []*state
	start  *state

	flushed int // number of times the cache was cleared

	seen  []uint32 // round in which an instruction was last reached
	round uint32
	stack []int32
	key   []byte
}

func (p *program) newDFA() *dfa {
	d := &dfa{p: p, states: map[string]*state{}, seen: make([]uint32, len(p.insts))}
	d.start = d.state(nil, beforeLineStart)
	return d
}

// find runs the DFA over b from state s. It returns the offset at which a match is
// detected, or len(b), and the state there. A newline resets the DFA to its start
// state.
func (d *dfa) find(s *state, b []byte) (at int, end *state, found bool) {
	for i := 0; i < len(b); {
		for ; i < len(b); i++ {
			n := s.next[b[i]]
			if n == nil {
				break
			}
			s = n
		}
		if i == len(b) {
			break
		}
		n := d.step(s, b[i])
		if n == nil {
			return i, s, true
		}
		s = n
		i++
	}
	return len(b), s, false
}

// line reports whether a line, given without its newline, matches.
func (d *dfa) line(b []byte) (at int, found bool) {
	at, s, found := d.find(d.start, b)
	if found {
		return at, true
	}
	return at, d.ends(s)
}

// ends reports whether the end of the line completes a match.
func (d *dfa) ends(s *state) bool {
	return s.next['\n'] == nil && d.step(s, '\n') == nil
}

// step returns the next state, or nil for a match.
func (d *dfa) step(s *state, b byte) *state {
	if s.match.has(b) {
		return nil
	}
	if b >= 0x80 && d.p.needsMatcher() { // the caller lets a matcher decide about the line
		s.match.addRange(0x80, 0xff)
		return nil
	}
	insts, matched := d.advance(s, b)
	class := d.p.class[b]
	if matched {
		for i := range 256 {
			if d.p.class[i] == class {
				s.match.add(byte(i))
			}
		}
		return nil
	}
	next := d.start
	if b != '\n' {
		forgets := len(d.states) >= maxStates
		next = d.state(insts, d.after(b))
		if forgets {
			return next // s was evicted
		}
	}
	bound := 256
	if d.p.needsMatcher() {
		bound = 0x80
	}
	for i := int(b); i >= 0 && d.p.class[i] == class; i-- {
		s.next[i] = next
	}
	for i := int(b) + 1; i < bound && d.p.class[i] == class; i++ {
		s.next[i] = next
	}
	return next
}

// after returns the part of a byte that the next state depends on.
func (d *dfa) after(b byte) (a before) {
	if d.p.looks&wordLooks != 0 && isWord(b) {
		a |= beforeWord
	}
	return a
}

// advance runs all instructions of a state over one byte. The start instruction is
// always included: a match may begin anywhere.
func (d *dfa) advance(s *state, b byte) (insts []int32, matched bool) {
	holds := s.before.looks(b)
	d.newRound()
	d.stack = append(append(d.stack[:0], s.insts...), d.p.start)
	var reached []int32
	for len(d.stack) > 0 {
		at := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[at] == d.round {
			continue
		}
		d.seen[at] = d.round
		switch i := &d.p.insts[at]; i.op {
		case opMatch:
			return nil, true
		case opByte:
			if i.lo <= b && b <= i.hi {
				reached = append(reached, i.out)
			}
		case opNode:
			if next, ok := i.node.after(b); ok && next == accepted {
				reached = append(reached, i.out)
			} else if ok {
				reached = append(reached, i.base+next)
			}
		case opSplit:
			d.stack = append(d.stack, i.outs...)
		case opLook:
			if holds&i.look != 0 {
				d.stack = append(d.stack, i.out)
			}
		}
	}
	slices.Sort(reached)
	return slices.Compact(reached), false
}

func (d *dfa) newRound() {
	d.round++
	if d.round == 0 { // overflow
		clear(d.seen)
		d.round = 1
	}
}

// looks returns the assertions that hold between the previous byte and b.
func (a before) looks(b byte) (l look) {
	word, next := a&beforeWord != 0, isWord(b)
	if a&beforeLineStart != 0 {
		l |= lookLineStart
	}
	if b == '\n' {
		l |= lookLineEnd
	}
	inside := b&0xc0 == 0x80 // within a multi-byte character no assertion holds
	if word != next {
		l |= lookWordBoundary
	} else if !inside {
		l |= lookNoWordBoundary
	}
	if !word && !inside {
		l |= lookAfterNoWord
	}
	if !next {
		l |= lookBeforeNoWord
	}
	return l
}

// state returns the cached state with these instructions, creating it if needed.
func (d *dfa) state(insts []int32, b before) *state {
	d.key = append(d.key[:0], byte(b))
	for _, i := range insts {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(i))
	}
	if s := d.states[string(d.key)]; s != nil {
		return s
	}
	if len(d.states) >= maxStates {
		d.forget()
	}
	var s *state
	if n := len(d.free); n > 0 {
		s = d.free[n-1]
		d.free = d.free[:n-1]
		*s = state{}
	} else {
		s = new(state)
	}
	s.insts, s.before = insts, b
	d.states[string(d.key)] = s
	return s
}

// forget clears the cache except for the start state.
func (d *dfa) forget() {
	d.flushed++
	for key, s := range d.states {
		if s != d.start {
			d.free = append(d.free, s)
			delete(d.states, key)
		}
	}
	d.start.next = [256]*state{}
}
