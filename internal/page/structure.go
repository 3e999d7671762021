package page

import "golang.org/x/net/html/atom"

// structure is a range of blocks that are kept or dropped together: a table, a list
// of short items, a piece of code or a figure.
type structure struct {
	first, last int
	table       bool
}

// layout finds the structures of a page.
type layout struct {
	page        *Page
	elems       []element
	blocks      []block
	inner, next []int // the first child and the next sibling of each element, or 0
}

func newLayout(o *outliner) *layout {
	l := &layout{page: o.page, elems: o.elems, blocks: o.blocks, inner: make([]int, len(o.elems)),
		next: make([]int, len(o.elems))}
	for e := len(o.elems) - 1; e > 0; e-- {
		up := o.elems[e].parent
		l.next[e], l.inner[up] = l.inner[up], e
	}
	return l
}

// structures returns the outermost structures of several blocks, in order.
func (l *layout) structures() (all []structure) {
	end := 0
	for at := range l.elems {
		e := &l.elems[at]
		if e.first < end || e.last-e.first < 2 || !l.isStructure(at) {
			continue
		}
		all = append(all, structure{e.first, e.last, e.node.DataAtom == atom.Table})
		end = e.last
	}
	return all
}

func (l *layout) isStructure(at int) bool {
	switch l.elems[at].node.DataAtom {
	case atom.Pre, atom.Figure:
		return true
	case atom.Table:
		return l.grid(at) != nil
	case atom.Ul, atom.Ol:
		return l.isPlainList(at)
	}
	return false
}

// maxItem is the number of blocks in an item of a plain list.
const maxItem = 3

// isPlainList reports whether the items of a list have only a few paragraphs each.
func (l *layout) isPlainList(at int) bool {
	items := 0
	for c := l.inner[at]; c != 0; c = l.next[c] {
		e := &l.elems[c]
		if e.node.DataAtom != atom.Li || e.last-e.first > maxItem {
			return false
		}
		items++
	}
	return items >= 2
}

// unify gives the blocks of a structure the mean of their log-odds.
func unify(s *surroundings, all []structure, odds []float64) {
	for _, t := range all {
		sum, weight := 0.0, 0.0
		for i := t.first; i < t.last; i++ {
			w := s.blocks[i].words + 1
			sum, weight = sum+w*odds[i], weight+w
		}
		mean := sum / weight
		if near, ok := around(s, t, odds); ok && t.table && near > mean {
			mean = (mean + near) / 2
		}
		for i := t.first; i < t.last; i++ {
			odds[i] = mean
		}
	}
}

// around returns the mean log-odds of the sentences directly before and after a
// structure.
func around(s *surroundings, t structure, odds []float64) (mean float64, ok bool) {
	const reach = 3
	up := s.elems[s.blocks[t.first].elem].parent
	for up > 0 && s.elems[up].last-s.elems[up].first <= t.last-t.first {
		s.page.work++
		up = s.elems[up].parent
	}
	n := 0
	for i := max(t.first-reach, 0); i < min(t.last+reach, len(s.blocks)); i++ {
		if (i < t.first || i >= t.last) && isProse(&s.blocks[i]) && up >= 0 && s.holds(up, i) {
			mean += odds[i]
			n++
		}
	}
	return mean / float64(max(n, 1)), n > 0
}

// whole keeps a structure if most of its words are kept, and drops it otherwise.
func whole(s *surroundings, all []structure, keep []bool) {
	for _, t := range all {
		kept, all := 0.0, 0.0
		for i := t.first; i < t.last; i++ {
			w := s.blocks[i].words + 0.1
			if all += w; keep[i] {
				kept += w
			}
		}
		for i := t.first; i < t.last; i++ {
			keep[i] = 2*kept >= all
		}
	}
}
