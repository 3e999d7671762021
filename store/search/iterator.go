package search

import "sort"

// iterator iterates over the postings of a term in ascending order.
type iterator struct {
	f    *finding
	a    *asked
	part int // next part: a block or the head, then the waiting texts

	ps    []posting // decoded postings
	base  uint32    // base of rest
	rest  []byte    // the undecoded rest of a group
	block block     // has the next groups
	group int       // index of the next group
	last  uint32    // last number of the group before
	buf   []posting
}

func (f *finding) iterators() []*iterator {
	all := make([]*iterator, len(f.terms))
	for i := range all {
		all[i] = &iterator{f: f, a: &f.terms[i]}
	}
	return all
}

// parts returns the number of parts, including the waiting texts.
func (c *iterator) parts() int { return max(len(c.a.head.firsts), 1) + 1 }

// read reads the next part. It returns false at the end or after an error.
func (c *iterator) read() bool {
	c.ps, c.rest, c.block, c.group = nil, nil, block{}, 0
	h := &c.a.head
	switch n := c.part; {
	case c.f.err != nil || n == c.parts():
		return false
	case n == c.parts()-1:
		c.ps = c.a.waiting
	case len(h.firsts) == 0:
		c.ps = h.inline
	default:
		c.open(n)
	}
	c.part++
	return true
}

// open opens a block.
func (c *iterator) open(n int) {
	x, first := c.f.index, c.a.head.firsts[n]
	b, err := c.f.block(c.a, n)
	if err == nil {
		c.block, err = readBlock(first, b)
	}
	c.f.err = x.corrupt(c.a.term, err)
}

// enter begins the i-th group of the block.
func (c *iterator) enter(i int) bool {
	var err error
	if c.base, c.rest, err = c.block.group(i); err != nil {
		c.f.err = c.f.index.corrupt(c.a.term, err)
	}
	c.group, c.last = i+1, c.block.last(i)
	return err == nil
}

// decode decodes the rest of the group.
func (c *iterator) decode() {
	if c.buf == nil {
		c.buf = make([]posting, 0, perGroup)
	}
	var err error
	if c.buf, err = readPostings(c.buf[:0], c.base, c.rest); err != nil {
		c.f.err = c.f.index.corrupt(c.a.term, err)
	}
	c.ps, c.rest = c.buf, nil
}

// next returns the next number. It returns false at the end.
func (c *iterator) next() (uint32, bool) {
	for len(c.ps) == 0 {
		switch {
		case c.f.err != nil:
			return 0, false
		case len(c.rest) > 0:
			c.decode()
		case c.group < c.block.groups():
			c.enter(c.group)
		case !c.read():
			return 0, false
		}
	}
	return c.ps[0].num, true
}

// posting advances to a number, which must not decrease, and returns the posting of
// that text. ok is false if it has none.
func (c *iterator) posting(num uint32) (p posting, ok bool) {
	for len(c.ps) == 0 || c.ps[len(c.ps)-1].num < num {
		if c.ps = nil; !c.advance(num) {
			return p, false
		}
	}
	if c.ps[0].num < num {
		c.ps = c.ps[sort.Search(len(c.ps), func(i int) bool { return c.ps[i].num >= num }):]
	}
	return c.ps[0], c.ps[0].num == num
}

// advance moves on towards a number. It returns false if no posting is left that may
// have it.
func (c *iterator) advance(num uint32) bool {
	if len(c.rest) > 0 && c.last >= num {
		return c.skip(num)
	}
	c.rest = nil
	if i, groups := c.group, c.block.groups(); i < groups {
		if c.block.last(i) < num { // often it is the next group
			i = c.block.holding(i+1, num)
		}
		if i < groups {
			return c.enter(i) && c.skip(num)
		}
		c.group = groups
	}
	// Skip blocks that end before the number.
	firsts := c.a.head.firsts
	if c.part < len(firsts) {
		if firsts[c.part] > num {
			return false
		}
		c.part += sort.Search(len(firsts)-c.part, func(i int) bool { return firsts[c.part+i] > num }) - 1
	}
	return c.read()
}

// skip decodes the first posting of the group with at least a number, which the group
// has.
func (c *iterator) skip(num uint32) bool {
	p, rest, ok := skipPostings(c.base, c.rest, num)
	if !ok {
		c.f.err = c.f.index.corrupt(c.a.term, errRecord)
		return false
	}
	c.keep(p, rest)
	return true
}

// keep sets the decoded posting of the group, and what follows it.
func (c *iterator) keep(p posting, rest []byte) {
	c.base, c.rest = p.num, rest
	c.buf = append(c.buf[:0], p)
	c.ps = c.buf
}
