package page

import "golang.org/x/net/html/atom"

// definitions writes a list of terms with their definitions. A definition of more
// than a few paragraphs stands as such below its term.
func (m *markdown) definitions(at, indent int, out *passage) {
	var parts []int // the terms and definitions
	short := indent < maxIndent
	o := m.part.outliner
	var read func(at, depth int)
	read = func(at, depth int) {
		for c := m.part.layout.inner[at]; c != 0; c = m.part.layout.next[c] {
			o.page.work++
			e := &o.elems[c]
			switch e.node.DataAtom {
			case atom.Dt, atom.Dd:
				parts = append(parts, c)
				short = short && e.last-e.first <= maxItem
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
	if !short || len(parts) == 0 || o.elems[parts[0]].first > o.elems[at].first {
		m.longDefinitions(at, indent, out)
		return
	}
	var all passage
	term, named := true, false // the last part was a term, and there was one
	for _, c := range parts {
		e := &o.elems[c]
		if e.node.DataAtom == atom.Dt {
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
func (m *markdown) longDefinitions(at, indent int, out *passage) {
	o := m.part.outliner
	e := &o.elems[at]
	i := e.first
	for c := m.part.layout.inner[at]; c != 0; c = m.part.layout.next[c] {
		for ; i < o.elems[c].first; i++ {
			m.paragraph(i, out)
		}
		m.pictures(i, at, out)
		switch o.elems[c].node.DataAtom {
		case atom.Dt:
			m.strong(&o.elems[c], out)
		case atom.Div:
			m.longDefinitions(c, indent, out)
		default:
			m.element(c, indent, out)
		}
		i = max(i, o.elems[c].last)
	}
	for ; i < e.last; i++ {
		m.paragraph(i, out)
	}
}
