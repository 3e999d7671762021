package markdown

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
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
	i := o.Elems[at].First
	for child := m.part.layout.Inner[at]; child != 0; child = m.part.layout.Next[child] {
		e := &o.Elems[child]
		for ; i < e.First; i++ {
			m.paragraph(i, &items)
		}
		i = max(i, e.Last)
		if e.Node.DataAtom != atom.Li {
			m.element(child, indent, &items)
			continue
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
			continue
		}
		if label := m.inline.notes[dom.Attr(e.Node, "id")]; label != "" {
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
	for ; i < o.Elems[at].Last; i++ {
		m.paragraph(i, &items)
	}
	out.add(items.String(), false)
}

// item returns the text of a list item, and whether it has several paragraphs. A list
// directly follows the paragraph before it.
func (m *writer) item(at, indent int) (text string, several bool) {
	var out passage
	paragraphs := 0
	e := &m.part.outline.Elems[at]
	i := e.First
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
	for child := m.part.layout.Inner[at]; child != 0; child = m.part.layout.Next[child] {
		c := &m.part.outline.Elems[child]
		for ; i < c.First; i++ {
			single(func(p *passage) { m.paragraph(i, p) }, false)
		}
		a := c.Node.DataAtom
		single(func(p *passage) { m.element(child, indent, p) }, a == atom.Ul || a == atom.Ol || a == atom.Menu)
		i = max(i, c.Last)
	}
	for ; i < e.Last; i++ {
		single(func(p *passage) { m.paragraph(i, p) }, false)
	}
	return out.String(), paragraphs > 1
}
