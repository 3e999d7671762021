package markdown

import (
	"strings"

	"techo/internal/page/view"
)

// table writes a grid. A table without names gets a row of empty ones, as Markdown
// requires a first row of names.
func (m *writer) table(g *view.Grid, out *passage) {
	if g.Caption != 0 {
		m.flow(g.Caption, maxIndent, out)
	}
	var b strings.Builder
	rows := g.Rows
	if g.Header {
		m.row(&b, rows[0], g.Wide)
		rows = rows[1:]
	} else {
		b.WriteString(strings.Repeat("|  ", g.Wide) + "|")
	}
	b.WriteString("\n" + strings.Repeat("|---", g.Wide) + "|")
	for _, row := range rows {
		b.WriteByte('\n')
		m.row(&b, row, g.Wide)
	}
	out.add(b.String(), false)
}

// row writes a row of cells.
func (m *writer) row(b *strings.Builder, cells []int, wide int) {
	for k := range wide {
		b.WriteString("| ")
		if k < len(cells) && cells[k] != 0 {
			e := &m.part.outline.Elems[cells[k]]
			var parts []string
			for i := e.First; i < e.Last; i++ {
				parts = append(parts, m.inline.cell.Replace(m.inline.block(&m.part.outline.Blocks[i], false)))
			}
			b.WriteString(strings.Join(parts, "<br>"))
		}
		b.WriteByte(' ')
	}
	b.WriteByte('|')
}
