package page

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// list writes a list. Items of several paragraphs are separated by blank lines.
func (m *markdown) list(at, indent int, out *passage) {
	o := m.part.outliner
	number := 1
	if n, err := strconv.Atoi(attr(o.elems[at].node, "start")); err == nil {
		number = n
	}
	ordered := o.elems[at].node.DataAtom == atom.Ol
	var items passage
	loose := false
	i := o.elems[at].first
	for child := m.part.layout.inner[at]; child != 0; child = m.part.layout.next[child] {
		e := &o.elems[child]
		for ; i < e.first; i++ {
			m.paragraph(i, &items)
		}
		i = max(i, e.last)
		if e.node.DataAtom != atom.Li {
			m.element(child, indent, &items)
			continue
		}
		if n, err := strconv.Atoi(attr(e.node, "value")); err == nil {
			number = n
		}
		mark := "- "
		if ordered {
			mark = strconv.Itoa(number) + ". "
		}
		number++
		text, several := m.item(child, indent+1)
		if text == "" {
			continue
		}
		if label := m.inline.notes[attr(e.node, "id")]; label != "" {
			items.add(prefixed(text, "[^"+label+"]: ", "    "), false)
			continue
		}
		if m.part.onlyLists(child) { // its layout
			items.add(text, true)
			continue
		}
		loose = loose || several
		items.add(prefixed(text, mark, strings.Repeat(" ", len(mark))), !loose)
	}
	for ; i < o.elems[at].last; i++ {
		m.paragraph(i, &items)
	}
	out.add(items.String(), false)
}

// item returns the text of a list item, and whether it has several paragraphs. A list
// directly follows the paragraph before it.
func (m *markdown) item(at, indent int) (text string, several bool) {
	var out passage
	paragraphs := 0
	e := &m.part.outliner.elems[at]
	i := e.first
	single := func(add func(p *passage), tight bool) {
		var one passage
		add(&one)
		if one.Len() == 0 {
			return
		}
		if !tight {
			paragraphs++
		}
		out.add(one.String(), tight)
	}
	for child := m.part.layout.inner[at]; child != 0; child = m.part.layout.next[child] {
		c := &m.part.outliner.elems[child]
		for ; i < c.first; i++ {
			single(func(p *passage) { m.paragraph(i, p) }, false)
		}
		a := c.node.DataAtom
		single(func(p *passage) { m.element(child, indent, p) }, a == atom.Ul || a == atom.Ol || a == atom.Menu)
		i = max(i, c.last)
	}
	for ; i < e.last; i++ {
		single(func(p *passage) { m.paragraph(i, p) }, false)
	}
	return out.String(), paragraphs > 1
}
