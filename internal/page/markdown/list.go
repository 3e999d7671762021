package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/view"
)

// list writes a list. Items of several paragraphs are separated by blank lines.
func (m *writer) list(at, indent int, out *passage) {
	o := m.part.outline
	number := 1
	if n, err := strconv.Atoi(dom.Attr(o.Elems[at].Node, "start")); err == nil {
		number = n
	}
	ordered := o.Elems[at].Node.DataAtom == atom.Ol
	var items passage
	loose := false
	m.parts(at, func(child int) {
		e := &o.Elems[child]
		if e.Node.DataAtom != atom.Li {
			m.element(child, indent, &items)
			return
		}
		if n, err := strconv.Atoi(dom.Attr(e.Node, "value")); err == nil {
			number = n
		}
		mark := "- "
		if ordered {
			mark = strconv.Itoa(number) + ". "
		}
		number++
		text, several := m.item(child, indent+1)
		if text == "" {
			return
		}
		if label := m.inline.notes[dom.Attr(e.Node, "id")]; label != "" {
			items.add(prefixed(text, "[^"+label+"]: ", "    "), false)
			return
		}
		if m.part.onlyLists(child) { // its layout
			items.add(text, true)
			return
		}
		loose = loose || several
		items.add(prefixed(text, mark, strings.Repeat(" ", len(mark))), !loose)
	}, func(i int) { m.paragraph(i, &items) })
	out.add(items.String(), false)
}

// item returns the text of a list item, and whether it has several paragraphs. A list
// directly follows the paragraph before it.
func (m *writer) item(at, indent int) (text string, several bool) {
	var out passage
	paragraphs := 0
	single := func(one *passage, tight bool) {
		if one.Len() == 0 {
			return
		}
		if !tight {
			paragraphs++
		}
		out.add(one.String(), tight)
	}
	m.parts(at, func(child int) {
		var one passage
		m.element(child, indent, &one)
		a := m.part.outline.Elems[child].Node.DataAtom
		single(&one, a == atom.Ul || a == atom.Ol || a == atom.Menu)
	}, func(i int) {
		var one passage
		m.paragraph(i, &one)
		single(&one, false)
	})
	return out.String(), paragraphs > 1
}

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

func (m *writer) row(b *strings.Builder, cells []int, wide int) {
	for k := range wide {
		b.WriteString("| ")
		if k < len(cells) && cells[k] != 0 {
			e := &m.part.outline.Elems[cells[k]]
			var parts []string
			if e.First == e.Last {
				if m.ticks == nil {
					m.ticks = m.part.outline.Alternatives()
				}
				for _, text := range m.ticks[cells[k]] {
					shown := &view.Block{Text: text}
					parts = append(parts, m.inline.cell.Replace(newEscaper(shown).text(text)))
				}
			}
			for i := e.First; i < e.Last; i++ {
				parts = append(parts, m.inline.cell.Replace(m.inline.block(&m.part.outline.Blocks[i], false)))
			}
			b.WriteString(strings.Join(parts, "<br>"))
		}
		b.WriteByte(' ')
	}
	b.WriteByte('|')
}

// definitions writes a list of terms with their definitions. A definition of more
// than a few paragraphs stands as such below its term.
func (m *writer) definitions(at, indent int, out *passage) {
	var parts []int // the terms and definitions
	short := indent < maxIndent
	o := m.part.outline
	var read func(at, depth int)
	read = func(at, depth int) {
		for c := m.part.layout.Inner[at]; c != 0; c = m.part.layout.Next[c] {
			o.Page.Work++
			e := &o.Elems[c]
			switch e.Node.DataAtom {
			case atom.Dt, atom.Dd:
				parts = append(parts, c)
				short = short && e.Last-e.First <= view.MaxItem
			case atom.Div:
				if depth > 0 {
					short = false
					return
				}
				read(c, depth+1)
			default:
				short = false
			}
		}
	}
	read(at, 0)
	if !short || len(parts) == 0 || o.Elems[parts[0]].First > o.Elems[at].First {
		m.longDefinitions(at, indent, out)
		return
	}
	var all passage
	term, named := true, false // the last part was a term, and there was one
	for _, c := range parts {
		e := &o.Elems[c]
		if e.Node.DataAtom == atom.Dt {
			text := m.joined(e)
			all.add(text, term)
			term, named = true, text != "" || term && named
			continue
		}
		var inside passage
		m.flow(c, indent+1, &inside)
		switch {
		case inside.Len() == 0:
		case named:
			all.add(prefixed(inside.String(), ": ", "  "), true)
		default: // an indented paragraph
			all.add(inside.String(), false)
		}
		term = false
	}
	out.add(all.String(), false)
}

// longDefinitions writes terms in bold, with their definitions as paragraphs.
func (m *writer) longDefinitions(at, indent int, out *passage) {
	o := m.part.outline
	m.parts(at, func(c int) {
		m.pictures(o.Elems[c].First, out)
		switch o.Elems[c].Node.DataAtom {
		case atom.Dt:
			m.strong(&o.Elems[c], out)
		case atom.Div:
			m.longDefinitions(c, indent, out)
		default:
			m.element(c, indent, out)
		}
	}, func(i int) { m.paragraph(i, out) })
}
