package search

import (
	"math/bits"
	"slices"
	"sort"
)

// # Reading lists
//
// Lists are read in parallel, one window of text numbers at a time. The scores of
// a window are summed in a small array, so memory does not depend on the length
// of the lists.
//
// Terms are ordered by the length of their lists, the rarest first. A text with
// none of the first i terms scores at most rest[i], the upper bound of the other
// terms. Once that is below the score of the last wanted hit, such texts are
// skipped, and the remaining lists are only used to look up candidates that can
// still reach the best (MaxScore, Turtle and Flood). The shortest lists are read
// alone first, so that this threshold is known early.
const (
	window = 4096 // numbers of texts

	// slack absorbs rounding errors.
	slack = 1 + 1e-9
)

// iterator iterates over the postings of a term in ascending order.
type iterator struct {
	f    *finding
	a    *asked
	part int // next part: a block or the head, then the waiting texts

	ps   []posting // decoded postings
	rest []byte    // the undecoded rest of the block
	base uint32    // base number of the rest
	buf  []posting
}

// together is the number of postings decoded at once.
const together = 128

// parts returns the number of parts, including the waiting texts.
func (c *iterator) parts() int { return max(len(c.a.head.firsts), 1) + 1 }

// read decodes the next postings. It returns false at the end or after an error.
func (c *iterator) read() bool {
	h := &c.a.head
	switch n := c.part; {
	case c.f.err != nil || len(c.rest) == 0 && n == c.parts():
		c.ps, c.rest = nil, nil
		return false
	case len(c.rest) > 0:
		var err error
		if c.buf, c.rest, err = readSome(c.buf[:0], c.base, c.rest, together); err != nil {
			c.f.err = c.f.index.corrupt(c.a.term, err)
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
		c.rest, c.f.err = c.f.index.rawBlock(c.f.tx, c.a.term, c.base)
	}
	c.part++
	return true
}

// next returns the next number. It returns false at the end.
func (c *iterator) next() (uint32, bool) {
	for len(c.ps) == 0 {
		if !c.read() {
			return 0, false
		}
	}
	return c.ps[0].num, true
}

// count advances to a number, which must not decrease, and returns the number of
// occurrences in that text.
func (c *iterator) count(num uint32) uint32 {
	for len(c.ps) == 0 || c.ps[len(c.ps)-1].num < num {
		// Skip blocks that end before the number.
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

func (f *finding) iterators() []*iterator {
	all := make([]*iterator, len(f.terms))
	for i := range all {
		all[i] = &iterator{f: f, a: &f.terms[i], buf: make([]posting, 0, together)}
	}
	return all
}

// keeper keeps the best hits.
type keeper struct {
	wanted int
	kept   []Hit   // at most twice the wanted number
	door   float64 // minimum score of a new hit; negative until enough hits exist
}

func (k *keeper) offer(h Hit) {
	if h.Score < k.door || k.wanted == 0 {
		return
	}
	if k.kept = append(k.kept, h); len(k.kept) >= 2*k.wanted {
		k.settle()
	}
}

// settle sorts the hits and drops the surplus.
func (k *keeper) settle() {
	slices.SortFunc(k.kept, before)
	if len(k.kept) >= k.wanted {
		k.kept = k.kept[:k.wanted]
		if k.wanted > 0 {
			k.door = k.kept[k.wanted-1].Score
		}
	}
}

// score finds the texts with the highest own scores.
func (f *finding) score(wanted int) ([]Hit, error) {
	f.rest = make([]float64, len(f.terms)+1)
	all := 0
	for i := len(f.terms) - 1; i >= 0; i-- {
		f.rest[i] = f.rest[i+1] + f.terms[i].most
		all += f.terms[i].count()
	}
	k := &keeper{wanted: wanted, door: -1}
	if all <= spare {
		f.scan(len(f.terms), k, false)
		return k.kept, f.err
	}
	f.pruned = len(f.terms) > 1
	first, read := 0, 0
	for first < len(f.terms) && f.err == nil {
		// Four times as many postings as before, or the next list.
		begin := first
		for most := 4 * max(read, window/4); first < len(f.terms) &&
			(first == begin || read+f.terms[first].count() <= most); first++ {
			read += f.terms[first].count()
		}
		k = &keeper{wanted: wanted, door: k.door}
		f.scan(first, k, true)
		if f.rest[first]*slack < k.door {
			break
		}
	}
	for _, a := range f.terms {
		f.total = max(f.total, a.count())
	}
	if f.query.Only != nil || f.query.Keep != nil {
		f.total, f.pruned = f.came, true
	}
	return k.kept, f.err
}

// scan offers all texts that contain one of the first terms. With prune it skips
// texts that cannot reach the minimum score.
func (f *finding) scan(first int, k *keeper, prune bool) {
	iterators, w := f.iterators(), &scores{}
	f.came, f.total = 0, 0
	for f.err == nil {
		for prune && first > 1 && f.rest[first-1]*slack < k.door {
			first--
		}
		if !f.gather(w, iterators[:first]) {
			break
		}
		for i, word := range w.has {
			for ; word != 0; word &= word - 1 {
				at := i*64 + bits.TrailingZeros64(word)
				matched := w.words[i]&(1<<(at%64)) != 0
				f.consider(w.from+uint32(at), w.own[at], matched, iterators[first:], k)
			}
		}
	}
	k.settle()
	f.total = f.came
}

// scores are the own scores of the texts in a window.
type scores struct {
	from uint32
	own  [window]float64
	has  [window / 64]uint64

	kana  [window / 64]uint64 // they have a kana term
	words [window / 64]uint64 // they have a term that is not common, or two kana terms
}

// gather sums the scores of the next window. It returns false after the last.
func (f *finding) gather(w *scores, iterators []*iterator) (more bool) {
	for _, c := range iterators {
		if num, ok := c.next(); ok && (!more || num < w.from) {
			w.from, more = num, true
		}
	}
	clear(w.has[:])
	clear(w.kana[:])
	clear(w.words[:])
	base, slope := f.norm()
	for _, c := range iterators {
		for num, ok := c.next(); ok && num-w.from < window; num, ok = c.next() {
			n := 0
			for ; n < len(c.ps) && c.ps[n].num-w.from < window; n++ {
				p := c.ps[n]
				at := p.num - w.from
				if w.has[at/64]&(1<<(at%64)) == 0 {
					w.has[at/64] |= 1 << (at % 64)
					w.own[at] = 0
				}
				if bit := uint64(1) << (at % 64); !c.a.common {
					w.words[at/64] |= bit
				} else if c.a.kana {
					w.words[at/64] |= w.kana[at/64] & bit
					w.kana[at/64] |= bit
				}
				times := float64(p.n)
				w.own[at] += c.a.weight * times / (times + base + slope*float64(f.lengths.of(p.num)))
			}
			c.ps = c.ps[n:]
		}
	}
	return more
}

// consider offers a text with a score from the first terms, after looking up the
// other terms.
func (f *finding) consider(num uint32, score float64, matched bool, others []*iterator, k *keeper) {
	if !f.query.has(num) {
		return
	}
	if matched {
		f.came++
	}
	for i, c := range others {
		if (score+f.rest[len(f.terms)-len(others)+i])*slack < k.door {
			return
		}
		if n := float64(c.count(num)); n > 0 {
			base, slope := f.norm()
			score += c.a.weight * n / (n + base + slope*float64(f.lengths.of(num)))
			matched = matched || !c.a.common
		}
	}
	if !matched {
		return
	}
	k.offer(Hit{Owner: Owner{Num: num}, Score: score})
}
