package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/meta"
)

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
