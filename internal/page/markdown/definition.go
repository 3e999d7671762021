package markdown

import (
	"golang.org/x/net/html/atom"

	"techo/internal/page/view"
)

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
	e := &o.Elems[at]
	i := e.First
	for c := m.part.layout.Inner[at]; c != 0; c = m.part.layout.Next[c] {
		for ; i < o.Elems[c].First; i++ {
			m.paragraph(i, out)
		}
		m.pictures(i, out)
		switch o.Elems[c].Node.DataAtom {
		case atom.Dt:
			m.strong(&o.Elems[c], out)
		case atom.Div:
			m.longDefinitions(c, indent, out)
		default:
			m.element(c, indent, out)
		}
		i = max(i, o.Elems[c].Last)
	}
	for ; i < e.Last; i++ {
		m.paragraph(i, out)
	}
}
