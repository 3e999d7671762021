package search

import (
	"math/bits"
	"slices"
	"sort"
)

// # Reading lists
//
// Lists are read side by side, a window of numbers at a time: the postings of
// the window are added up in one small array, and then looked through. Memory
// is therefore that of a window, however long the lists are.
//
// Terms come in the order of their lists, the rarest first. A text that has
// none of the first i terms scores at most what the others can give together,
// rest[i]; once that is less than the last of the wanted has, such texts need
// not be found, and what is found is only looked up in the other lists, as long
// as it can still come among the best (Turtle and Flood's MaxScore). So that
// there soon is a last of the wanted, the shortest lists are read alone first.
const (
	window = 4096 // numbers

	// slack keeps what is equal but for rounding.
	slack = 1 + 1e-9
)

// cursor goes through the postings of a term, least number first.
type cursor struct {
	f    *finding
	a    *asked
	part int // the next to be read: blocks, or the postings in the head; then those that wait

	ps   []posting // the next ones
	rest []byte    // of their block, behind them
	base uint32    // of the rest
	buf  []posting
}

// together is how many postings are read at once.
const together = 128

// parts is how many there are, the postings that wait among them.
func (c *cursor) parts() int { return max(len(c.a.head.firsts), 1) + 1 }

// read reads the next postings; false at the end, and after a fault.
func (c *cursor) read() bool {
	h := &c.a.head
	switch n := c.part; {
	case c.f.err != nil || len(c.rest) == 0 && n == c.parts():
		c.ps, c.rest = nil, nil
		return false
	case len(c.rest) > 0:
		var err error
		if c.buf, c.rest, err = readSome(c.buf[:0], c.base, c.rest, together); err != nil {
			c.f.err = c.f.corrupt(c.a.term, err)
			return false
		}
		c.ps, c.base = c.buf, c.buf[len(c.buf)-1].num
		return true
	case n == c.parts()-1:
		c.ps = c.a.waiting
	case len(h.firsts) == 0:
		c.ps = h.inline
	default:
		c.ps, c.base = nil, h.firsts[n]
		c.rest, c.f.err = c.f.rawBlock(c.f.tx, texts, c.a.term, c.base)
	}
	c.part++
	return true
}

// next returns the next number; false at the end.
func (c *cursor) next() (uint32, bool) {
	for len(c.ps) == 0 {
		if !c.read() {
			return 0, false
		}
	}
	return c.ps[0].num, true
}

// count goes on to a number, which only ever grows, and returns how often the
// term stands in that text.
func (c *cursor) count(num uint32) uint32 {
	for len(c.ps) == 0 || c.ps[len(c.ps)-1].num < num {
		// Blocks that end before the number are passed over.
		firsts := c.a.head.firsts
		if c.part < len(firsts) && firsts[c.part] <= num {
			c.part += sort.Search(len(firsts)-c.part, func(i int) bool { return firsts[c.part+i] > num }) - 1
			c.rest = nil
		}
		if !c.read() {
			return 0
		}
	}
	i := sort.Search(len(c.ps), func(i int) bool { return c.ps[i].num >= num })
	c.ps = c.ps[i:]
	if c.ps[0].num != num {
		return 0
	}
	return c.ps[0].n
}

func (f *finding) cursors() []*cursor {
	all := make([]*cursor, len(f.terms))
	for i := range all {
		all[i] = &cursor{f: f, a: &f.terms[i], buf: make([]posting, 0, together)}
	}
	return all
}

// keeper keeps the best of many hits.
type keeper struct {
	wanted int
	kept   []Hit   // never more than twice the wanted
	door   float64 // less than that does not come in; below 0 while everything does
}

func (k *keeper) offer(h Hit) {
	if h.Score < k.door || k.wanted == 0 {
		return
	}
	if k.kept = append(k.kept, h); len(k.kept) >= 2*k.wanted {
		k.settle()
	}
}

// settle sorts the hits and drops those that are not wanted.
func (k *keeper) settle() {
	slices.SortFunc(k.kept, before)
	if len(k.kept) >= k.wanted {
		k.kept = k.kept[:k.wanted]
		if k.wanted > 0 {
			k.door = k.kept[k.wanted-1].Score
		}
	}
}

// score finds the texts with the highest own scores. With grouped it notes the
// own scores of all texts that it comes by.
func (f *finding) score(wanted, enough int, grouped bool) ([]Hit, error) {
	f.rest = make([]float64, len(f.terms)+1)
	all := 0
	for i := len(f.terms) - 1; i >= 0; i-- {
		f.rest[i] = f.rest[i+1] + f.terms[i].most
		all += f.terms[i].count()
	}
	k := &keeper{wanted: wanted, door: -1}
	if all <= enough {
		f.scan(len(f.terms), k, false, grouped)
		return k.kept, f.err
	}
	f.pruned = len(f.terms) > 1
	first, read := 0, 0
	for first < len(f.terms) && f.err == nil {
		// Four times as much as before, or the next list.
		begin := first
		for most := 4 * max(read, window/4); first < len(f.terms) && (first == begin || read+f.terms[first].count() <= most); first++ {
			read += f.terms[first].count()
		}
		k = &keeper{wanted: wanted, door: k.door}
		f.scan(first, k, true, grouped)
		if f.rest[first]*slack < k.door {
			break
		}
	}
	for _, a := range f.terms {
		f.total = max(f.total, a.count())
	}
	if f.query.Only != nil {
		f.total, f.pruned = f.came, true
	}
	return k.kept, f.err
}

// scan offers all texts that have one of the first terms. With prune it leaves
// out those that cannot come through the door.
func (f *finding) scan(first int, k *keeper, prune, grouped bool) {
	cursors, w := f.cursors(), &scores{}
	f.came, f.total = 0, 0
	f.nums, f.own = f.nums[:0], f.own[:0]
	for f.err == nil {
		for prune && first > 1 && f.rest[first-1]*slack < k.door {
			first--
		}
		if !f.gather(w, cursors[:first]) {
			break
		}
		for i, word := range w.has {
			for ; word != 0; word &= word - 1 {
				at := i*64 + bits.TrailingZeros64(word)
				f.consider(w.from+uint32(at), w.own[at], cursors[first:], k, grouped)
			}
		}
	}
	k.settle()
	f.total = f.came
}

// scores are the own scores of the texts of a window.
type scores struct {
	from uint32
	own  [window]float64
	has  [window / 64]uint64
}

// gather adds up the scores of the next window; false when there is none.
func (f *finding) gather(w *scores, cursors []*cursor) (more bool) {
	for _, c := range cursors {
		if num, ok := c.next(); ok && (!more || num < w.from) {
			w.from, more = num, true
		}
	}
	clear(w.has[:])
	base, slope := f.norm()
	for _, c := range cursors {
		for num, ok := c.next(); ok && num-w.from < window; num, ok = c.next() {
			n := 0
			for ; n < len(c.ps) && c.ps[n].num-w.from < window; n++ {
				p := c.ps[n]
				at := p.num - w.from
				if w.has[at/64]&(1<<(at%64)) == 0 {
					w.has[at/64] |= 1 << (at % 64)
					w.own[at] = 0
				}
				times := float64(p.n)
				w.own[at] += c.a.weight * times / (times + base + slope*float64(f.lengths.of(p.num)))
			}
			c.ps = c.ps[n:]
		}
	}
	return more
}

// consider offers a text that has a score by the first terms, after the others
// are looked up.
func (f *finding) consider(num uint32, score float64, others []*cursor, k *keeper, grouped bool) {
	wanted := f.query.Only == nil || f.query.Only.Has(num)
	if wanted {
		f.came++
	}
	out := !wanted && !grouped
	for i, c := range others {
		if out = out || (score+f.rest[len(f.terms)-len(others)+i])*slack < k.door; out {
			break
		}
		if n := float64(c.count(num)); n > 0 {
			base, slope := f.norm()
			score += c.a.weight * n / (n + base + slope*float64(f.lengths.of(num)))
		}
	}
	if grouped {
		f.nums, f.own = append(f.nums, num), append(f.own, score)
	}
	if wanted && !out {
		k.offer(Hit{Num: num, Score: score})
	}
}

// ownScore returns what score noted of a text, 0 for one that has no term.
func (f *finding) ownScore(num uint32) float64 {
	if i, ok := slices.BinarySearch(f.nums, num); ok {
		return f.own[i]
	}
	return 0
}
