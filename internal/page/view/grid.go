package view

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// Grid is a table of data: rows of cells. Tables that only lay out a page are not
// grids.
type Grid struct {
	Rows    [][]int // elements of the cells; 0 where a cell of another row or column reaches
	Caption int     // element, or 0
	Header  bool    // the first row names the columns
	Wide    int
}

// Limits of a grid. A larger cell belongs to a layout.
const (
	maxCellWords  = 150
	maxNamedWords = 500 // in a table with a row of names
	maxSpan       = 100
)

// Grid reads the table of an element. It returns nil for a layout.
func (l *Layout) Grid(table int) *Grid {
	g := &Grid{}
	inner, next := l.Inner, l.Next
	if dom.Attr(l.Elems[table].Node, "role") == "presentation" {
		return nil
	}
	named, cells := false, 0
	var spans []int // rows that the cell above still reaches, by column
	ok := true
	var read func(at int, head bool)
	nested := false
	foot := 0 // HTML 4 has it before the body
	read = func(at int, head bool) {
		for c := inner[at]; c != 0 && ok; c = next[c] {
			l.Page.Work++
			switch l.Elems[c].Node.DataAtom {
			case atom.Thead:
				read(c, true)
			case atom.Tbody:
				read(c, false)
			case atom.Tfoot:
				foot = c
			case atom.Caption:
				g.Caption = c
			case atom.Tr:
				row, names := l.row(c, &spans)
				if len(row) == 0 {
					continue
				}
				if len(g.Rows) == 0 {
					named = names || head
				}
				cells += len(row)
				g.Rows = append(g.Rows, row)
				g.Wide = max(g.Wide, len(row))
				nested = nested || l.nests(c)
			default:
				ok = false
			}
		}
	}
	read(table, false)
	if foot != 0 {
		read(foot, false)
	}
	if nested && !named && !g.isEven(l.Elems) {
		return nil
	}
	if !ok || g.Wide < 2 || len(g.Rows)*g.Wide > 4*cells+1000 {
		return nil
	}
	g.Header = named
	return g.ifData(l.Elems)
}

// isEven reports whether a table without names is one of data nevertheless, although its cells
// contain forms, headings, code or tables: several rows with as many small cells each.
func (g *Grid) isEven(elems []Element) bool {
	const most = 40 // words
	if len(g.Rows) < 3 {
		return false
	}
	for _, row := range g.Rows {
		if len(row) != g.Wide {
			return false
		}
		for _, cell := range row {
			if e := &elems[cell]; cell != 0 && (e.Words > most || e.Last-e.First > 6 || e.Words == 0) {
				return false
			}
		}
	}
	return true
}

// ifData returns nil if the cells are too large for data.
func (g *Grid) ifData(elems []Element) *Grid {
	limit := float64(maxCellWords)
	if g.Header {
		limit = maxNamedWords
	} else if len(g.Rows) < 2 && g.Caption == 0 {
		return nil
	}
	for _, row := range g.Rows {
		for _, cell := range row {
			e := &elems[cell]
			if cell != 0 && (e.Words > limit || e.Last-e.First > 30) {
				return nil
			}
		}
	}
	return g
}

// row returns the cells of a row, with 0 for columns that other cells reach, and
// whether all cells are names.
func (l *Layout) row(at int, spans *[]int) (row []int, names bool) {
	names = true
	reached := func() {
		for len(row) < len(*spans) && (*spans)[len(row)] > 0 {
			(*spans)[len(row)]--
			row = append(row, 0)
		}
	}
	for c := l.Inner[at]; c != 0; c = l.Next[c] {
		l.Page.Work++
		n := l.Elems[c].Node
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		reached()
		names = names && n.DataAtom == atom.Th
		columns, rows := span(dom.Attr(n, "colspan")), span(dom.Attr(n, "rowspan"))
		for k := range columns {
			for len(*spans) <= len(row) {
				*spans = append(*spans, 0)
			}
			(*spans)[len(row)] = rows - 1
			if k == 0 {
				row = append(row, c)
			} else {
				row = append(row, 0)
			}
		}
	}
	if len(row) > 0 {
		reached()
	}
	return row, names
}

// span returns the number of columns or rows of a cell.
func span(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxSpan)
}

// nests reports whether the cells of a row contain tables, forms, headings or
// code of several lines, as in a layout.
func (l *Layout) nests(row int) bool {
	e := &l.Elems[row]
	for c := row + 1; c < len(l.Elems) && l.Elems[c].First < e.Last; c++ {
		l.Page.Work++
		switch l.Elems[c].Node.DataAtom {
		case atom.Table, atom.Form, atom.H1, atom.H2:
			return true
		case atom.Pre:
			if l.Elems[c].Last > l.Elems[c].First && strings.Contains(l.Blocks[l.Elems[c].First].Text, "\n") {
				return true
			}
		}
	}
	return false
}

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
