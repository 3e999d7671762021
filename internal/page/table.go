package page

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// grid is a table of data: rows of cells. Tables that only lay out a page are not
// grids.
type grid struct {
	rows    [][]int // elements of the cells; 0 where a cell of another row or column reaches
	caption int     // element, or 0
	header  bool    // the first row names the columns
	wide    int
}

// Limits of a grid. A larger cell belongs to a layout.
const (
	maxCellWords  = 150
	maxNamedWords = 500 // in a table with a row of names
	maxSpan       = 100
)

// grid reads the table of an element. It returns nil for a layout.
func (l *layout) grid(table int) *grid {
	g := &grid{}
	inner, next := l.inner, l.next
	if attr(l.elems[table].node, "role") == "presentation" {
		return nil
	}
	named, cells := false, 0
	var spans []int // rows that the cell above still reaches, by column
	ok := true
	var read func(at int, head bool)
	read = func(at int, head bool) {
		for c := inner[at]; c != 0 && ok; c = next[c] {
			l.page.work++
			switch l.elems[c].node.DataAtom {
			case atom.Thead:
				read(c, true)
			case atom.Tbody, atom.Tfoot:
				read(c, false)
			case atom.Caption:
				g.caption = c
			case atom.Tr:
				row, names := l.row(c, &spans)
				if len(row) == 0 {
					continue
				}
				if len(g.rows) == 0 {
					named = names || head
				}
				cells += len(row)
				g.rows = append(g.rows, row)
				g.wide = max(g.wide, len(row))
				ok = !l.nests(c)
			default:
				ok = false
			}
		}
	}
	read(table, false)
	if !ok || g.wide < 2 || len(g.rows)*g.wide > 4*cells+1000 {
		return nil
	}
	g.header = named
	return g.ifData(l.elems)
}

// ifData returns nil if the cells are too large for data.
func (g *grid) ifData(elems []element) *grid {
	limit := float64(maxCellWords)
	if g.header {
		limit = maxNamedWords
	} else if len(g.rows) < 2 && g.caption == 0 {
		return nil
	}
	for _, row := range g.rows {
		for _, cell := range row {
			e := &elems[cell]
			if cell != 0 && (e.words > limit || e.last-e.first > 30) {
				return nil
			}
		}
	}
	return g
}

// row returns the cells of a row, with 0 for columns that other cells reach, and
// whether all cells are names.
func (l *layout) row(at int, spans *[]int) (row []int, names bool) {
	names = true
	reached := func() {
		for len(row) < len(*spans) && (*spans)[len(row)] > 0 {
			(*spans)[len(row)]--
			row = append(row, 0)
		}
	}
	for c := l.inner[at]; c != 0; c = l.next[c] {
		l.page.work++
		n := l.elems[c].node
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		reached()
		names = names && n.DataAtom == atom.Th
		columns, rows := span(attr(n, "colspan")), span(attr(n, "rowspan"))
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
func (l *layout) nests(row int) bool {
	e := &l.elems[row]
	for c := row + 1; c < len(l.elems) && l.elems[c].first < e.last; c++ {
		l.page.work++
		switch l.elems[c].node.DataAtom {
		case atom.Table, atom.Form, atom.H1, atom.H2:
			return true
		case atom.Pre:
			if l.elems[c].last > l.elems[c].first && strings.Contains(l.blocks[l.elems[c].first].text, "\n") {
				return true
			}
		}
	}
	return false
}

// table writes a grid. A table without names gets a row of empty ones, as Markdown
// requires a first row of names.
func (m *markdown) table(g *grid, out *passage) {
	if g.caption != 0 {
		m.flow(g.caption, maxIndent, out)
	}
	var b strings.Builder
	rows := g.rows
	if g.header {
		m.row(&b, rows[0], g.wide)
		rows = rows[1:]
	} else {
		b.WriteString(strings.Repeat("|  ", g.wide) + "|")
	}
	b.WriteString("\n" + strings.Repeat("|---", g.wide) + "|")
	for _, row := range rows {
		b.WriteByte('\n')
		m.row(&b, row, g.wide)
	}
	out.add(b.String(), false)
}

// row writes a row of cells.
func (m *markdown) row(b *strings.Builder, cells []int, wide int) {
	for k := range wide {
		b.WriteString("| ")
		if k < len(cells) && cells[k] != 0 {
			e := &m.part.outliner.elems[cells[k]]
			var parts []string
			for i := e.first; i < e.last; i++ {
				parts = append(parts, m.inline.cell.Replace(m.inline.block(&m.part.outliner.blocks[i], false)))
			}
			b.WriteString(strings.Join(parts, "<br>"))
		}
		b.WriteByte(' ')
	}
	b.WriteByte('|')
}
