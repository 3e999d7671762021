package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// maxIndent limits the levels of lists and quotes in Markdown. Deeper ones are
// written without marks.
const maxIndent = 12

// Markdown returns the content as Markdown with absolute links.
func (c *Content) Markdown(from *url.URL) string {
	m := newMarkdown(c, from)
	var out passage
	m.flow(0, 0, &out)
	for _, text := range c.descriptions {
		out.add(text, false)
	}
	return out.String()
}

// markdown writes content as Markdown.
type markdown struct {
	outliner *outliner
	layout   *layout
	inline   inliner
	keep     []bool    // blocks to write, with the captions of kept figures
	words    []float64 // cumulative words of kept blocks
	pics     int       // pictures before the current block
}

func newMarkdown(c *Content, from *url.URL) *markdown {
	o := c.outliner
	m := &markdown{outliner: o, layout: newLayout(o), keep: slices.Clone(c.keep),
		words: make([]float64, len(c.keep)+1),
		inline: inliner{from: c.base(from),
			escape: strings.NewReplacer("(", "%28", ")", "%29", " ", "%20"), // a replacer takes 6 KB
			cell:   strings.NewReplacer("\n", " ", "|", "\\|"),
		}}
	for i, kept := range c.keep {
		m.words[i+1] = m.words[i]
		if kept {
			m.words[i+1] += o.blocks[i].words
		}
	}
	m.keepCaptions()
	return m
}

// keepCaptions keeps the captions of the figures that are among the content.
func (m *markdown) keepCaptions() {
	o := m.outliner
	for e := range o.elems {
		if o.elems[e].node.DataAtom != atom.Figure || !m.amongContent(o.elems[e].parent) {
			continue
		}
		for i := o.elems[e].first; i < o.elems[e].last; i++ {
			m.keep[i] = true
		}
	}
}

// amongContent reports whether most of what surrounds an element is kept.
func (m *markdown) amongContent(at int) bool {
	o := m.outliner
	for range maxDepth {
		e := &o.elems[at]
		if e.own&(inNav|inFooter|inAside|namedRelated|namedAd|namedAuthor|namedComment|namedShare) != 0 {
			return false
		}
		if e.words >= 40 || e.parent < 0 {
			return m.words[e.last]-m.words[e.first] >= 0.5*e.words
		}
		o.page.work++
		at = e.parent
	}
	return false
}

// passage joins paragraphs.
type passage struct{ strings.Builder }

// add appends a paragraph, or in a tight list a line.
func (p *passage) add(text string, tight bool) {
	switch {
	case text == "":
		return
	case p.Len() == 0:
	case tight:
		p.WriteByte('\n')
	default:
		p.WriteString("\n\n")
	}
	p.WriteString(text)
}

// flow writes the contents of an element as paragraphs.
func (m *markdown) flow(at, indent int, out *passage) {
	e := &m.outliner.elems[at]
	i := e.first
	for child := m.layout.inner[at]; child != 0; child = m.layout.next[child] {
		for ; i < m.outliner.elems[child].first; i++ {
			m.paragraph(i, out)
		}
		m.pictures(i, at, out)
		m.element(child, indent, out)
		i = max(i, m.outliner.elems[child].last)
	}
	for ; i < e.last; i++ {
		m.paragraph(i, out)
	}
	m.pictures(i, at, out)
}

// paragraph writes a block.
func (m *markdown) paragraph(i int, out *passage) {
	m.pictures(i, m.outliner.blocks[i].elem, out)
	if m.keep[i] {
		out.add(m.text(i), false)
	}
}

// pictures writes the pictures without text that stand before a block.
func (m *markdown) pictures(before, at int, out *passage) {
	o := m.outliner
	for ; m.pics < len(o.pictures) && o.pictures[m.pics].block <= before; m.pics++ {
		p := &o.pictures[m.pics]
		if !m.amongContent(p.elem) {
			continue
		}
		for _, r := range p.runs {
			out.add(m.inline.picture(r, m.inFigure(p.elem)), false)
		}
	}
}

// text returns a block with its marks.
func (m *markdown) text(i int) string {
	b := &m.outliner.blocks[i]
	return m.inline.block(b, m.inFigure(b.elem))
}

func (m *markdown) inFigure(at int) bool { return m.outliner.elems[at].traits&inFigure != 0 }

// element writes an element.
func (m *markdown) element(at, indent int, out *passage) {
	o := m.outliner
	e := &o.elems[at]
	if level := headingLevel(e.node.DataAtom); level > 0 {
		if text := m.joined(e); text != "" {
			out.add(strings.Repeat("#", level)+" "+text, false)
		}
		return
	}
	switch e.node.DataAtom {
	case atom.Pre:
		m.fence(at, out)
	case atom.Table:
		if m.keepsSome(e) {
			if g := m.layout.grid(at); g != nil {
				m.table(g, out)
				return
			}
		}
		m.flow(at, indent, out)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		if indent == maxIndent {
			m.flow(at, indent, out)
			return
		}
		m.list(at, indent, out)
	case atom.Blockquote:
		if indent == maxIndent {
			m.flow(at, indent, out)
			return
		}
		var inside passage
		m.flow(at, indent+1, &inside)
		if inside.Len() > 0 {
			out.add(prefixed(inside.String(), "> ", "> "), false)
		}
	case atom.Figcaption:
		m.caption(e, out)
	default:
		m.post(at, out)
		m.flow(at, indent, out)
	}
}

func (m *markdown) keepsSome(e *element) bool {
	for i := e.first; i < e.last; i++ {
		if m.keep[i] {
			return true
		}
	}
	return false
}

// joined returns the blocks of an element in one line.
func (m *markdown) joined(e *element) string {
	var parts []string
	for i := e.first; i < e.last; i++ {
		if m.keep[i] {
			parts = append(parts, strings.Join(strings.Fields(m.text(i)), " "))
		}
	}
	return strings.Join(parts, " ")
}

// caption writes the caption of a figure in italics.
func (m *markdown) caption(e *element, out *passage) {
	if text := m.joined(e); text != "" {
		if !strings.Contains(text, "*") {
			text = "*" + text + "*"
		}
		out.add(text, false)
	}
}

// prefixed writes one prefix before the first line and another before the rest.
func prefixed(text, first, rest string) string {
	var b strings.Builder
	for n, line := range strings.Split(text, "\n") {
		prefix := rest
		if n == 0 {
			prefix = first
		} else {
			b.WriteByte('\n')
		}
		if line == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		b.WriteString(prefix + line)
	}
	return b.String()
}

// list writes a list. Items of several paragraphs are separated by blank lines.
func (m *markdown) list(at, indent int, out *passage) {
	o := m.outliner
	number := 1
	if n, err := strconv.Atoi(attr(o.elems[at].node, "start")); err == nil {
		number = n
	}
	ordered := o.elems[at].node.DataAtom == atom.Ol
	var items passage
	loose := false
	i := o.elems[at].first
	for child := m.layout.inner[at]; child != 0; child = m.layout.next[child] {
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
		loose = loose || several
		items.add(prefixed(text, mark, strings.Repeat(" ", len(mark))), !loose)
	}
	for ; i < o.elems[at].last; i++ {
		m.paragraph(i, &items)
	}
	out.add(items.String(), false)
}

// item returns the text of a list item, and whether it has several paragraphs. A
// list directly follows the paragraph before it.
func (m *markdown) item(at, indent int) (text string, several bool) {
	var out passage
	paragraphs := 0
	e := &m.outliner.elems[at]
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
	for child := m.layout.inner[at]; child != 0; child = m.layout.next[child] {
		c := &m.outliner.elems[child]
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
