package pattern

import (
	"unicode/utf8"
)

// matcher runs a program over a text and finds the bounds of matches, leftmost
// first, as Perl and package regexp do. It keeps one thread for each instruction
// (the algorithm of Ken Thompson and Rob Pike), so its time is proportional to the
// length of the text. It decides wherever the DFA cannot: bounds, matches over
// several lines, and Unicode word boundaries. A matcher is not safe for concurrent
// use.
type matcher struct {
	p         *program
	now, next threads
	stack     []int32
	text      []byte
}

// threads are the active instructions, in the order of their priority.
type threads struct {
	insts  []int32
	starts []int    // where the match of each thread began
	place  []uint32 // position of an instruction in insts, to be confirmed there
}

func (t *threads) has(i int32) bool {
	at := t.place[i]
	return int(at) < len(t.insts) && t.insts[at] == i
}

func (t *threads) put(i int32, start int) {
	t.place[i] = uint32(len(t.insts))
	t.insts, t.starts = append(t.insts, i), append(t.starts, start)
}

func (t *threads) clear() { t.insts, t.starts = t.insts[:0], t.starts[:0] }

func (p *program) newMatcher() *matcher {
	n := len(p.insts)
	return &matcher{p: p, now: threads{place: make([]uint32, n)}, next: threads{place: make([]uint32, n)}}
}

// find returns the bounds of the first match in text that begins at or after from
// and is decided before to, or ok false.
func (m *matcher) find(text []byte, from, to int) (start, end int, ok bool) {
	m.text = text
	m.now.clear()
	for at := from; ; at++ {
		if !ok {
			if len(m.now.insts) == 0 {
				if at = m.p.skip(text, at, to); at > to {
					return 0, 0, false
				}
			}
			m.follow(&m.now, m.p.start, at, at)
		}
		if len(m.now.insts) == 0 && ok {
			return start, end, true
		}
		m.next.clear()
		for i, inst := range m.now.insts {
			begin := m.now.starts[i]
			if m.p.insts[inst].op == opMatch {
				start, end, ok = begin, at, true
				break // threads of lower priority
			}
			if at < to {
				m.step(inst, text[at], begin, at+1)
			}
		}
		if at >= to {
			return start, end, ok
		}
		m.now, m.next = m.next, m.now
	}
}

// step runs an instruction that consumes a byte.
func (m *matcher) step(at int32, b byte, begin, behind int) {
	switch i := &m.p.insts[at]; i.op {
	case opByte:
		if i.lo <= b && b <= i.hi {
			m.follow(&m.next, i.out, begin, behind)
		}
	case opNode:
		if next, ok := i.node.after(b); ok && next == accepted {
			m.follow(&m.next, i.out, begin, behind)
		} else if ok && !m.next.has(i.base+next) {
			m.next.put(i.base+next, begin)
		}
	}
}

// follow adds a thread and all threads that it leads to without consuming a byte.
func (m *matcher) follow(to *threads, inst int32, begin, at int) {
	m.stack = append(m.stack[:0], inst)
	for len(m.stack) > 0 {
		last := len(m.stack) - 1
		inst, m.stack = m.stack[last], m.stack[:last]
		if to.has(inst) {
			continue
		}
		to.put(inst, begin)
		switch i := &m.p.insts[inst]; i.op {
		case opSplit:
			for k := len(i.outs) - 1; k >= 0; k-- {
				m.stack = append(m.stack, i.outs[k])
			}
		case opLook:
			if m.p.holds(i.look, m.text, at) {
				m.stack = append(m.stack, i.out)
			}
		}
	}
}

// skip returns the next position at or after at where a match may begin.
func (p *program) skip(text []byte, at, to int) int {
	if p.first == nil {
		return at
	}
	for at < to && !p.first[text[at]] {
		at++
	}
	if at == to {
		return to + 1 // a match needs a byte
	}
	return at
}

// firstBytes returns the bytes with which a match may begin, or nil if a match may
// be empty.
func (p *program) firstBytes() *[256]bool {
	found := new([256]bool)
	seen := map[int32]bool{}
	stack := []int32{p.start}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch i := &p.insts[at]; i.op {
		case opMatch:
			return nil
		case opByte:
			for b := int(i.lo); b <= int(i.hi); b++ {
				found[b] = true
			}
		case opNode:
			for _, r := range i.node {
				for b := int(r.lo); b <= int(r.hi); b++ {
					found[b] = true
				}
			}
		case opSplit:
			stack = append(stack, i.outs...)
		case opLook:
			stack = append(stack, i.out)
		}
	}
	return found
}

// holds reports whether an assertion holds at an offset of a text. Within a
// multi-byte character none does.
func (p *program) holds(l look, text []byte, at int) bool {
	switch l {
	case lookLineStart:
		return at == 0 || text[at-1] == '\n'
	case lookLineEnd:
		return at == len(text) || text[at] == '\n'
	case lookTextStart:
		return at == 0
	case lookTextEnd:
		return at == len(text)
	}
	if at < len(text) && text[at]&0xc0 == 0x80 {
		return false
	}
	before, after := p.wordBefore(text, at), p.wordAfter(text, at)
	switch l {
	case lookWordBoundary:
		return before != after
	case lookNoWordBoundary:
		return before == after
	case lookAfterNoWord:
		return !before
	case lookBeforeNoWord:
		return !after
	}
	return false
}

func (p *program) wordBefore(text []byte, at int) bool {
	if at == 0 {
		return false
	}
	if b := text[at-1]; b < utf8.RuneSelf || !p.unicode {
		return isWord(b)
	}
	r, n := utf8.DecodeLastRune(text[:at])
	return n > 1 && isWordRune(r)
}

func (p *program) wordAfter(text []byte, at int) bool {
	if at == len(text) {
		return false
	}
	if b := text[at]; b < utf8.RuneSelf || !p.unicode {
		return isWord(b)
	}
	r, n := utf8.DecodeRune(text[at:])
	return n > 1 && isWordRune(r)
}
