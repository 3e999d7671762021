// Package markdown writes the kept blocks of a page as Markdown, with its pictures, tables,
// footnotes and the posts of threads. It does not decide which blocks are kept.
package markdown

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/content"
	"techo/internal/page/dom"
	"techo/internal/page/meta"
	"techo/internal/page/traits"
	"techo/internal/page/view"
)

// maxIndent limits the levels of lists and quotes in Markdown. Deeper ones are
// written without marks.
const maxIndent = 12

// Render returns a part of a page as Markdown with absolute links.
func Render(c *content.Content, from *url.URL) string {
	m := newWriter(c, from)
	var out passage
	m.flow(0, 0, &out)
	for _, text := range c.Descriptions {
		out.add(text, false)
	}
	return out.String()
}

type writer struct {
	part    *selection
	inline  inliner
	pics    int              // pictures before the current block
	threads []bool           // elements that are posts of a thread; nil on a page without posts
	posted  bool             // a post was written
	ticks   map[int][]string // alternative texts of pictures in cells; nil until a cell needs them
}

func newWriter(c *content.Content, from *url.URL) *writer {
	m := &writer{part: newSelection(c), inline: inliner{from: c.Outline.Page.Base(from), notes: notesOf(c),
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

// parts calls child for each element in an element, and block for each block that is directly in it, in order.
func (m *writer) parts(at int, child, block func(i int)) {
	o := m.part.outline
	i := o.Elems[at].First
	for c := m.part.layout.Inner[at]; c != 0; c = m.part.layout.Next[c] {
		for ; i < o.Elems[c].First; i++ {
			block(i)
		}
		child(c)
		i = o.Elems[c].Last
	}
	for ; i < o.Elems[at].Last; i++ {
		block(i)
	}
}

// flow writes the contents of an element as paragraphs.
func (m *writer) flow(at, indent int, out *passage) {
	m.parts(at, func(child int) {
		m.pictures(m.part.outline.Elems[child].First, out)
		m.element(child, indent, out)
	}, func(i int) { m.paragraph(i, out) })
	m.pictures(m.part.outline.Elems[at].Last, out)
}

func (m *writer) paragraph(i int, out *passage) {
	m.pictures(i, out)
	if m.part.keep[i] {
		out.add(m.text(i), false)
	}
}

// pictures writes the pictures without text that stand before a block.
func (m *writer) pictures(before int, out *passage) {
	m.eachPicture(before, func(r view.Run, figure bool) {
		text := r.Text // of a film
		if r.Image != "" {
			text = m.inline.image(&r, figure)
		}
		out.add(m.inline.link(text, dom.Absolute(m.inline.from, r.Href)), false)
	})
}

// eachPicture calls do with the next pictures without text that stand before a block. Outside of
// figures, a picture that links to the start page of a site is a logo, and left out.
func (m *writer) eachPicture(before int, do func(r view.Run, figure bool)) {
	o := m.part.outline
	for ; m.pics < len(o.Pictures) && o.Pictures[m.pics].Block <= before; m.pics++ {
		p := &o.Pictures[m.pics]
		if !m.part.amongContent(p.Elem, 0) {
			continue
		}
		figure := m.inFigure(p.Elem)
		for _, r := range p.Runs {
			if figure || !dom.IsStart(m.inline.from, r.Href) {
				do(r, figure)
			}
		}
	}
}

// text returns a block with its marks.
func (m *writer) text(i int) string {
	b := &m.part.outline.Blocks[i]
	return m.inline.block(b, m.inFigure(b.Elem))
}

func (m *writer) inFigure(at int) bool { return m.part.outline.Elems[at].Traits&traits.InFigure != 0 }

func (m *writer) element(at, indent int, out *passage) {
	o := m.part.outline
	e := &o.Elems[at]
	if level := dom.HeadingLevel(e.Node.DataAtom); level > 0 {
		if text := m.heading(e, level); text != "" {
			out.add(strings.Repeat("#", level)+" "+text, false)
		}
		return
	}
	if isNoticeTitle(e.Node) {
		m.strong(e, out)
		return
	}
	switch e.Node.DataAtom {
	case atom.Pre:
		m.fence(at, out)
	case atom.Table:
		if m.part.keepsSome(e) {
			if g := m.part.layout.Grid(at); g != nil {
				m.table(g, out)
				return
			}
		}
		m.flow(at, indent, out)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		if indent == maxIndent || m.isThread(at) {
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
		if label := m.inline.notes[dom.Attr(e.Node, "id")]; label != "" {
			m.note(at, indent, label, out)
			return
		}
		m.post(at, out)
		m.flow(at, indent, out)
	}
}

// quote writes a quotation. A reply that quotes a text which was kept before is
// written without it.
func (m *writer) quote(at, indent int, out *passage) {
	e := &m.part.outline.Elems[at]
	if indent == maxIndent || isPostBody(e.Node) {
		m.flow(at, indent, out)
		return
	}
	if e.InPost && m.part.words[e.Last]-m.part.words[e.First] < 0.5*e.Words {
		return
	}
	var inside passage
	m.flow(at, indent+1, &inside)
	if inside.Len() > 0 {
		out.add(prefixed(inside.String(), "> ", "> "), false)
	}
}

// heading returns the text of a heading of a level in one line.
func (m *writer) heading(e *view.Element, level int) string {
	var parts []string
	for i := e.First; i < e.Last; i++ {
		if m.part.keep[i] {
			parts = append(parts, m.inline.title(&m.part.outline.Blocks[i], level))
		}
	}
	return strings.Join(parts, " ")
}

// strong writes the blocks of an element in bold, in one line.
func (m *writer) strong(e *view.Element, out *passage) {
	if text := m.heading(e, 0); text != "" {
		out.add("**"+text+"**", false)
	}
}

// isNoticeTitle reports whether an element is the title of a note or a warning.
func isNoticeTitle(n *html.Node) bool {
	return dom.HasPart(dom.Attr(n, "class"), "admonition-title", "alert-title", "callout-title", "admonition-heading")
}

// joined returns the blocks of an element in one line.
func (m *writer) joined(e *view.Element) string {
	var parts []string
	for i := e.First; i < e.Last; i++ {
		if m.part.keep[i] {
			parts = append(parts, strings.Join(strings.Fields(m.text(i)), " "))
		}
	}
	return strings.Join(parts, " ")
}

// caption writes the caption of a figure in italics.
func (m *writer) caption(e *view.Element, out *passage) {
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

// post writes a line with the author and the date before a post of a thread, and a
// rule between posts.
func (m *writer) post(at int, out *passage) {
	if m.threads == nil || !m.threads[at] {
		return
	}
	n := m.part.outline.Elems[at].Node
	author, date := meta.AuthorOf(n), meta.DateOf(n)
	if author == "" && date == "" {
		return
	}
	if m.posted {
		out.add("---", false)
	}
	m.posted = true
	author, date = m.part.outline.Page.Tidy(author), m.part.outline.Page.Tidy(date)
	switch {
	case author == "":
		out.add("*"+date+"*", false)
	case date == "":
		out.add("**"+author+"**", false)
	default:
		out.add("**"+author+"** · "+date, false)
	}
}

// isThread reports whether the items of a list are posts.
func (m *writer) isThread(list int) bool {
	if m.threads == nil {
		return false
	}
	for c := m.part.layout.Inner[list]; c != 0; c = m.part.layout.Next[c] {
		if m.threads[c] && meta.AuthorOf(m.part.outline.Elems[c].Node) != "" {
			return true
		}
	}
	return false
}

// isMarkedPost reports whether an element is the question of a thread of answers, or a
// post by the marks of a forum.
func isMarkedPost(n *html.Node) bool {
	return dom.Attr(n, "data-author") != "" || n.DataAtom == atom.Div &&
		(dom.Attr(n, "data-questionid") != "" || dom.Attr(n, "id") == "question" || dom.HasWord(dom.Attr(n, "class"),
			"blockpost"))
}

// isPostBody reports whether a blockquote is the text of a post, as in some forums.
func isPostBody(n *html.Node) bool {
	return dom.HasPart(strings.ToLower(dom.Attr(n, "class")), "messagetext", "postcontent", "postbody")
}
