package search

import (
	"cmp"
	"math/bits"
	"slices"
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
// alone first, so that this threshold is known early: the sum of a text's first terms
// is a lower bound of its score.
const (
	window = 4096 // numbers of texts

	// slack absorbs rounding errors.
	slack = 1 + 1e-9
)

// scored is a text with its own score.
type scored struct {
	num   uint32
	score float64
}

// before orders texts by score, and equal ones by number, the newest first.
func (s scored) before(o scored) int {
	switch {
	case s.score > o.score:
		return -1
	case s.score < o.score:
		return 1
	}
	return cmp.Compare(o.num, s.num)
}

// keeper keeps the best texts.
type keeper struct {
	wanted int
	kept   []scored // a heap with the last one at its root
	door   float64  // minimum score of a new text; negative until enough exist
}

func (k *keeper) offer(h scored) {
	switch {
	case h.score < k.door || k.wanted == 0:
	case len(k.kept) < k.wanted:
		k.kept = append(k.kept, h)
		k.rise()
	case h.before(k.kept[0]) < 0:
		k.kept[0] = h
		k.sink()
	}
	if len(k.kept) == k.wanted && k.wanted > 0 {
		k.door = max(k.door, k.kept[0].score)
	}
}

// rise moves the last element of the heap to its place.
func (k *keeper) rise() {
	for i := len(k.kept) - 1; i > 0; {
		above := (i - 1) / 2
		if k.kept[above].before(k.kept[i]) > 0 {
			return
		}
		k.kept[above], k.kept[i] = k.kept[i], k.kept[above]
		i = above
	}
}

// sink moves the root of the heap to its place.
func (k *keeper) sink() {
	for i := 0; ; {
		last := i
		for below := 2*i + 1; below <= 2*i+2 && below < len(k.kept); below++ {
			if k.kept[below].before(k.kept[last]) > 0 {
				last = below
			}
		}
		if last == i {
			return
		}
		k.kept[i], k.kept[last] = k.kept[last], k.kept[i]
		i = last
	}
}

// score finds the texts with the highest own scores.
func (f *finding) score(wanted int) ([]scored, error) {
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
	for f.err == nil {
		// Four times as many postings as before, or the next list.
		begin := first
		for most := 4 * max(read, window/4); first < len(f.terms) &&
			(first == begin || read+f.terms[first].count() <= most); first++ {
			read += f.terms[first].count()
		}
		// What the first terms alone contribute is a lower bound of the scores.
		k = &keeper{wanted: wanted, door: k.door}
		f.scan(first, k, false)
		if first == len(f.terms) {
			break
		}
		if f.rest[first]*slack < k.door {
			k = &keeper{wanted: wanted, door: k.door}
			f.scan(first, k, true)
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

// scan offers all texts that contain one of the first terms. With prune it looks up
// the other terms, and skips texts that cannot reach the minimum score; without it
// the score counts the first terms only.
func (f *finding) scan(first int, k *keeper, prune bool) {
	iterators, w := f.iterators(), &scores{}
	if !prune {
		iterators = iterators[:first]
	}
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
	slices.SortFunc(k.kept, scored.before)
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
				w.own[at] += f.share(c.a, p)
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
		if p, ok := c.posting(num); ok {
			score += f.share(c.a, p)
			matched = matched || !c.a.common
		}
	}
	if !matched {
		return
	}
	k.offer(scored{num, score})
}
