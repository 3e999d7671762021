package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// post writes a line with the author and the date before a post of a thread, and a
// rule between posts.
func (m *markdown) post(at int, out *passage) {
	o := m.outliner
	e := &o.elems[at]
	if !e.isPost() || e.parent >= 0 && o.elems[e.parent].inPost || !m.keepsSome(e) {
		return
	}
	author, date := authorOf(e.node, 0), dateOf(e.node, 0)
	if author == "" && date == "" {
		return
	}
	if out.Len() > 0 {
		out.add("---", false)
	}
	author, date = o.page.tidy(author), o.page.tidy(date)
	switch {
	case author == "":
		out.add("*"+date+"*", false)
	case date == "":
		out.add("**"+author+"**", false)
	default:
		out.add("**"+author+"** · "+date, false)
	}
}

// maxName is the length of an author's name or a date in bytes.
const maxName = 80

// authorOf finds the name of the author in a post.
func authorOf(n *html.Node, depth int) string {
	if name := attr(n, "data-author"); name != "" && len(name) <= maxName {
		return name
	}
	for c := n.FirstChild; c != nil && depth < 30; c = c.NextSibling {
		if c.Type != html.ElementNode || c.DataAtom == atom.Time {
			continue
		}
		if namesAuthor(c) {
			if name := strings.TrimSpace(allText(c)); name != "" && len(name) <= maxName {
				return name
			}
		}
		if name := authorOf(c, depth+1); name != "" {
			return name
		}
	}
	return ""
}

// namesAuthor reports whether an element is marked as the name of an author.
func namesAuthor(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "itemprop":
			return a.Val == "author" || a.Val == "name"
		case "rel":
			return a.Val == "author"
		case "class":
			for class := range strings.FieldsSeq(strings.ToLower(a.Val)) {
				switch class {
				case "username", "author", "author-name", "user-name", "postauthor", "post-author", "poster",
					"user-details", "creator", "names", "nickname", "fn", "bigusername", "authorname", "topic-author",
					"post_author", "comment-author", "p-author", "p-name", "userinfo", "hnuser":
					return true
				}
			}
		}
	}
	return false
}

// dateOf finds the date of a post.
func dateOf(n *html.Node, depth int) string {
	for c := n.FirstChild; c != nil && depth < 30; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if c.DataAtom == atom.Time || attr(c, "itemprop") == "datePublished" || attr(c, "itemprop") == "dateCreated" {
			for _, key := range [...]string{"datetime", "content", "title"} {
				if date := attr(c, key); date != "" && len(date) <= maxName {
					return date
				}
			}
			if date := strings.TrimSpace(allText(c)); date != "" && len(date) <= maxName {
				return date
			}
		}
		if date := dateOf(c, depth+1); date != "" {
			return date
		}
	}
	return ""
}
