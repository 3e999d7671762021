package view

// Layout is an outline with the children of its elements.
type Layout struct {
	*Outline
	Inner, Next []int // the first child and the next sibling of each element, or 0
}

// Layout returns an outline with the children of its elements.
func (o *Outline) Layout() *Layout {
	l := &Layout{Outline: o, Inner: make([]int, len(o.Elems)), Next: make([]int, len(o.Elems))}
	for e := len(o.Elems) - 1; e > 0; e-- {
		up := o.Elems[e].Parent
		l.Next[e], l.Inner[up] = l.Inner[up], e
	}
	return l
}

// MaxItem is the number of blocks in an item of a plain list.
const MaxItem = 3
