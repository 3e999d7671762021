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
// still reach the best (MaxScore, Turtle and Flood). The first windows raise that
// score nearly to its end: to score the texts of the shortest lists before the others
// takes three times as long for 60 words and a million texts.
// The candidates are looked up in one list after the other (partial.go).
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

// after reports whether a text is after another one: by score, or of equal scores by
// number, the newest first.
func (s scored) after(o scored) bool { return s.score < o.score || s.score == o.score && s.num < o.num }

// before orders texts as after does.
func (s scored) before(o scored) int {
	return cmp.Or(cmp.Compare(o.score, s.score), cmp.Compare(o.num, s.num))
}

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
	case k.kept[0].after(h):
		k.replace(h)
	}
	if len(k.kept) == k.wanted && k.wanted > 0 {
		k.door = max(k.door, k.kept[0].score)
	}
}

// rise moves the last element of the heap to its place.
func (k *keeper) rise() {
	for i := len(k.kept) - 1; i > 0; {
		above := (i - 1) / 2
		if !k.kept[i].after(k.kept[above]) {
			return
		}
		k.kept[above], k.kept[i] = k.kept[i], k.kept[above]
		i = above
	}
}

// replace puts a text, which is before the root of the heap, in the place of the root.
func (k *keeper) replace(h scored) {
	i, all := 0, k.kept
	for below := 1; below < len(all); below = 2*i + 1 {
		if below+1 < len(all) && all[below+1].after(all[below]) {
			below++
		}
		if !all[below].after(h) {
			break
		}
		all[i], i = all[below], below
	}
	all[i] = h
}

// score finds the texts with the highest own scores.
func (f *finding) score(wanted int) ([]scored, error) {
	terms, postings := f.scoring()
	f.rest = make([]float64, terms+1)
	for i := terms - 1; i >= 0; i-- {
		f.rest[i] = f.rest[i+1] + f.terms[i].most
	}
	prune := postings > spare && !f.query.Counted
	kept := f.scan(wanted, prune)
	if f.total = f.came; !prune && terms == len(f.terms) {
		return kept, f.err
	}
	f.pruned = len(f.terms) > 1
	for _, a := range f.terms {
		f.total = max(f.total, a.count())
	}
	if f.query.Only != nil || f.query.Keep != nil {
		f.total, f.pruned = f.came, true
	}
	return kept, f.err
}

// scoring returns the number of terms that texts are scored by, the rarest ones, and the number of their postings.
func (f *finding) scoring() (terms, postings int) {
	for i := range f.terms {
		n := f.terms[i].count()
		if f.query.Roughly && i >= leastRoughly && postings+n > mostRoughly {
			return i, postings
		}
		postings += n
	}
	return len(f.terms), postings
}

// mayReach reports whether a text with a score may be among the best.
func (f *finding) mayReach(score float64, k *keeper) bool { return score*slack >= k.door }

// scan returns the best of the texts that have one of the terms, the best first. With prune it leaves out texts that
// cannot be among them: the more it has found, the more of the longest lists are only used to look up candidates.
func (f *finding) scan(wanted int, prune bool) []scored {
	k, w, open := &keeper{wanted: wanted, door: -1}, &scores{}, &partials{most: leastPartials}
	first := len(f.rest) - 1
	iterators := f.iterators()[:first]
	w.common = slices.ContainsFunc(f.terms, func(a asked) bool { return a.common })
	f.came = 0
	for f.err == nil {
		for prune && first > 1 && !f.mayReach(f.rest[first-1], k) {
			first--
		}
		if !f.gather(w, iterators[:first]) {
			break
		}
		f.consider(w, open, iterators[first:], k, prune)
	}
	open.complete(f, iterators[first:], k)
	slices.SortFunc(k.kept, scored.before)
	return k.kept
}

// scores are the own scores of the texts in a window.
type scores struct {
	from uint32
	own  [window]float64
	has  [window / 64]uint64

	// Only if the question has common terms.
	common bool
	kana   [window / 64]uint64 // they have a kana term
	words  [window / 64]uint64 // they have a term that is not common, or two kana terms
}

// terms returns how many terms that make a text a hit one has, up to two: a term that is
// not common counts as two, a kana term as one.
func (w *scores) terms(at int) uint32 {
	bit := uint64(1) << (at % 64)
	switch {
	case !w.common || w.words[at/64]&bit != 0:
		return enough
	case w.kana[at/64]&bit != 0:
		return 1
	}
	return 0
}

// enough is the number of terms, as terms counts them, that make a text a hit.
const enough = 2

// gather sums the scores of the next window. It returns false after the last.
func (f *finding) gather(w *scores, iterators []*iterator) (more bool) {
	for _, c := range iterators {
		if num, ok := c.next(); ok && (!more || num < w.from) {
			w.from, more = num, true
		}
	}
	clear(w.has[:])
	if w.common {
		clear(w.kana[:])
		clear(w.words[:])
	}
	for _, c := range iterators {
		for num, ok := c.next(); ok && num-w.from < window; num, ok = c.next() {
			c.ps = c.ps[w.add(f, c.a, c.ps):]
		}
	}
	return more
}

// add adds the scores of the postings of a term that lie in the window. It returns their
// number.
func (w *scores) add(f *finding, a *asked, ps []posting) (n int) {
	for _, p := range ps {
		at := p.num - w.from
		if at >= window {
			break
		}
		n++
		word, bit := &w.has[at/64], uint64(1)<<(at%64)
		if *word&bit == 0 {
			*word |= bit
			w.own[at] = 0
		}
		w.own[at] += f.share(a, p)
		switch {
		case !w.common:
		case !a.common:
			w.words[at/64] |= bit
		case a.kana:
			w.words[at/64] |= w.kana[at/64] & bit
			w.kana[at/64] |= bit
		}
	}
	return n
}

// consider offers the texts of the window if there are no other lists. Otherwise it adds
// all that can reach the minimum score to open.
func (f *finding) consider(w *scores, open *partials, others []*iterator, k *keeper, prune bool) {
	some, rest := f.query.Only != nil || f.query.Keep != nil, f.rest[len(f.rest)-1-len(others)]
	for i, word := range w.has {
		for ; word != 0; word &= word - 1 {
			at := i*64 + bits.TrailingZeros64(word)
			p := partial{num: w.from + uint32(at), score: w.own[at]}
			reaches := f.mayReach(p.score+rest, k)
			if prune && !some && !reaches || some && !f.query.has(p.num) {
				continue
			}
			if p.terms = w.terms(at); p.terms >= enough {
				f.came++
			}
			switch {
			case !reaches:
			case len(others) > 0:
				if open.all = append(open.all, p); len(open.all) == open.most {
					open.complete(f, others, k)
				}
			case p.terms >= enough:
				k.offer(scored{p.num, p.score})
			}
		}
	}
}
