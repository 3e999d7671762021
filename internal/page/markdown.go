package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
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
	part    *selection
	inline  inliner
	pics    int    // pictures before the current block
	threads []bool // elements that are posts of a thread; nil on a page without posts
	posted  bool   // a post was written
}

func newMarkdown(c *Content, from *url.URL) *markdown {
	m := &markdown{part: newSelection(c), inline: inliner{from: c.base(from), notes: notesOf(c),
		escape: strings.NewReplacer("(", "%28", ")", "%29", " ", "%20"), // a replacer takes 6 KB
		cell:   strings.NewReplacer("\n\n", "<br><br>", "\n", "<br>", "|", "\\|"),
	}}
	m.threads = m.part.posts()
	return m
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
	e := &m.part.outliner.elems[at]
	i := e.first
	for child := m.part.layout.inner[at]; child != 0; child = m.part.layout.next[child] {
		for ; i < m.part.outliner.elems[child].first; i++ {
			m.paragraph(i, out)
		}
		m.pictures(i, at, out)
		m.element(child, indent, out)
		i = max(i, m.part.outliner.elems[child].last)
	}
	for ; i < e.last; i++ {
		m.paragraph(i, out)
	}
	m.pictures(i, at, out)
}

// paragraph writes a block.
func (m *markdown) paragraph(i int, out *passage) {
	m.pictures(i, m.part.outliner.blocks[i].elem, out)
	if m.part.keep[i] {
		out.add(m.text(i), false)
	}
}

// pictures writes the pictures without text that stand before a block.
func (m *markdown) pictures(before, at int, out *passage) {
	o := m.part.outliner
	for ; m.pics < len(o.pictures) && o.pictures[m.pics].block <= before; m.pics++ {
		p := &o.pictures[m.pics]
		if !m.part.amongContent(p.elem, 0) {
			continue
		}
		for _, r := range p.runs {
			if m.inline.isLogo(r) && !m.inFigure(p.elem) {
				continue
			}
			out.add(m.inline.picture(r, m.inFigure(p.elem)), false)
		}
	}
}

// isStart reports whether a link leads to the start page of a site.
func isStart(from *url.URL, href string) bool {
	if href = strings.TrimSpace(href); href == "" || href[0] == '#' {
		return false
	}
	u, err := from.Parse(href)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
}

// text returns a block with its marks.
func (m *markdown) text(i int) string {
	b := &m.part.outliner.blocks[i]
	return m.inline.block(b, m.inFigure(b.elem))
}

func (m *markdown) inFigure(at int) bool { return m.part.outliner.elems[at].traits&inFigure != 0 }

// element writes an element.
func (m *markdown) element(at, indent int, out *passage) {
	o := m.part.outliner
	e := &o.elems[at]
	if level := headingLevel(e.node.DataAtom); level > 0 {
		if text := m.heading(e, level); text != "" {
			out.add(strings.Repeat("#", level)+" "+text, false)
		}
		return
	}
	if isNoticeTitle(e.node) {
		m.strong(e, out)
		return
	}
	switch e.node.DataAtom {
	case atom.Pre:
		m.fence(at, out)
	case atom.Table:
		if m.part.keepsSome(e) {
			if g := m.part.layout.grid(at); g != nil {
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
		if m.isThread(at) {
			m.flow(at, indent, out)
			return
		}
		m.list(at, indent, out)
	case atom.Dl:
		m.definitions(at, indent, out)
	case atom.Blockquote:
		m.quote(at, indent, out)
	case atom.Figcaption:
		m.caption(e, out)
	default:
		m.post(at, out)
		m.flow(at, indent, out)
	}
}

// quote writes a quotation. A reply that quotes a text which was kept before is
// written without it.
func (m *markdown) quote(at, indent int, out *passage) {
	e := &m.part.outliner.elems[at]
	if indent == maxIndent || isPostBody(e.node) {
		m.flow(at, indent, out)
		return
	}
	if e.inPost && m.part.words[e.last]-m.part.words[e.first] < 0.5*e.words {
		return
	}
	var inside passage
	m.flow(at, indent+1, &inside)
	if inside.Len() > 0 {
		out.add(prefixed(inside.String(), "> ", "> "), false)
	}
}

// heading returns the text of a heading of a level in one line.
func (m *markdown) heading(e *element, level int) string {
	var parts []string
	for i := e.first; i < e.last; i++ {
		if m.part.keep[i] {
			parts = append(parts, m.inline.title(&m.part.outliner.blocks[i], level))
		}
	}
	return strings.Join(parts, " ")
}

// strong writes the blocks of an element in bold, in one line.
func (m *markdown) strong(e *element, out *passage) {
	if text := m.heading(e, 0); text != "" {
		out.add("**"+text+"**", false)
	}
}

// isNoticeTitle reports whether an element is the title of a note or a warning.
func isNoticeTitle(n *html.Node) bool {
	return hasPart(attr(n, "class"), "admonition-title", "alert-title", "callout-title", "admonition-heading")
}

// joined returns the blocks of an element in one line.
func (m *markdown) joined(e *element) string {
	var parts []string
	for i := e.first; i < e.last; i++ {
		if m.part.keep[i] {
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
