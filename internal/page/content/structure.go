package content

import (
	"math"

	"golang.org/x/net/html/atom"

	"techo/internal/page/view"
)

// structure is a range of blocks that are kept or dropped together: a table, a list
// of short items, a piece of code or a figure.
type structure struct {
	first, last int
	table       bool
}

// unify gives the blocks of a structure the mean of their log-odds. Beside probable sentences a
// table, and in an article any structure without links, is more probable than it reads.
func (s *surroundings) unify(all []structure, odds []float64) {
	for at, t := range all {
		sum, weight := 0.0, 0.0
		for i := t.first; i < t.last; i++ {
			w := s.Blocks[i].Words + 1
			sum, weight = sum+w*odds[i], weight+w
		}
		mean := sum / weight
		if t.table || s.kind == articlePage && !s.linked(t) {
			mean = max(mean, (mean+s.around(s.run(all, at), odds))/2)
		}
		for i := t.first; i < t.last; i++ {
			odds[i] = mean
		}
	}
}

// run returns a structure, in an article with the list, code or figure directly before it.
func (s *surroundings) run(all []structure, at int) structure {
	r := all[at]
	if s.kind == articlePage && at > 0 && !all[at-1].table && all[at-1].last == r.first {
		r.first = all[at-1].first
	}
	return r
}

// around returns the mean log-odds of the sentences directly before and after a run of
// structures, or -Inf without any.
func (s *surroundings) around(t structure, odds []float64) (mean float64) {
	const reach = 3
	up := s.Elems[s.Blocks[t.first].Elem].Parent
	for up > 0 && s.Elems[up].Last-s.Elems[up].First <= t.last-t.first {
		s.Page.Work++
		up = s.Elems[up].Parent
	}
	n := 0
	for i := max(t.first-reach, 0); i < min(t.last+reach, len(s.Blocks)); i++ {
		if (i < t.first || i >= t.last) && s.Blocks[i].IsProse() && up >= 0 && s.holds(up, i) {
			mean += odds[i]
			n++
		}
	}
	if n == 0 {
		return math.Inf(-1)
	}
	return mean / float64(n)
}

// whole keeps a structure if most of its words are kept, and drops it otherwise.
func (s *surroundings) whole(all []structure, keep []bool) {
	for _, t := range all {
		kept, all := 0.0, 0.0
		for i := t.first; i < t.last; i++ {
			w := s.Blocks[i].Words + 0.1
			if all += w; keep[i] {
				kept += w
			}
		}
		for i := t.first; i < t.last; i++ {
			keep[i] = 2*kept >= all
		}
	}
}

// structures returns the outermost structures of several blocks, in order.
func structures(l *view.Layout) (all []structure) {
	end := 0
	for at := range l.Elems {
		e := &l.Elems[at]
		if e.First < end || e.Last-e.First < 2 || !isStructure(l, at) {
			continue
		}
		all = append(all, structure{e.First, e.Last, e.Node.DataAtom == atom.Table})
		end = e.Last
	}
	return all
}

func isStructure(l *view.Layout, at int) bool {
	switch l.Elems[at].Node.DataAtom {
	case atom.Pre, atom.Figure:
		return true
	case atom.Table:
		return l.Grid(at) != nil
	case atom.Ul, atom.Ol:
		return isPlainList(l, at)
	}
	return false
}

// isPlainList reports whether the items of a list have only a few paragraphs each.
func isPlainList(l *view.Layout, at int) bool {
	items := 0
	for c := l.Inner[at]; c != 0; c = l.Next[c] {
		e := &l.Elems[c]
		if e.Node.DataAtom != atom.Li || e.Last-e.First > view.MaxItem {
			return false
		}
		items++
	}
	return items >= 2
}

func (s *surroundings) linked(t structure) bool {
	for i := t.first; i < t.last; i++ {
		if s.Blocks[i].Link > 0 {
			return true
		}
	}
	return false
}
