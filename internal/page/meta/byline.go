package meta

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// maxName is the length of an author's name or a date in bytes.
const maxName = 80

// AuthorOf finds the name of the author in a post.
func AuthorOf(n *html.Node) string {
	if by := AuthorIn(n); by != nil {
		return NameIn(by)
	}
	return ""
}

// AuthorIn returns the element that names the author of a post: first as structured
// data, then by its class. It returns nil for a post without an author.
func AuthorIn(n *html.Node) *html.Node {
	if name := dom.Attr(n, "data-author"); name != "" && len(name) <= maxName {
		return n
	}
	for _, marked := range [...]func(n *html.Node) bool{isAuthorProperty, namesAuthor} {
		named := func(c *html.Node) bool { return marked(c) && NameIn(c) != "" }
		if by := first(n, 30, atom.Time, named); by != nil {
			return by
		}
	}
	return nil
}

// first returns the first element within another, in at most depth levels, for which is
// returns true. It does not look into elements with the tag skip.
func first(n *html.Node, depth int, skip atom.Atom, is func(c *html.Node) bool) *html.Node {
	for c := n.FirstChild; c != nil && depth > 0; c = c.NextSibling {
		if c.Type != html.ElementNode || skip != 0 && c.DataAtom == skip {
			continue
		}
		if is(c) {
			return c
		}
		if found := first(c, depth-1, skip, is); found != nil {
			return found
		}
	}
	return nil
}

// NameIn returns the name in an element that is marked as an author: its structured
// name, its text or, beside other details, its first link or term.
func NameIn(n *html.Node) string {
	if name := dom.Attr(n, "data-author"); name != "" && len(name) <= maxName {
		return name
	}
	if by := first(n, 10, 0, func(c *html.Node) bool { return propertyName(c) != "" }); by != nil {
		return propertyName(by)
	}
	for by := n; by != nil; { // the innermost one
		n = by
		by = first(n, 10, 0, func(c *html.Node) bool {
			return namesAuthor(c) && strings.TrimSpace(undated(c, 0)) != ""
		})
	}
	text := strings.Join(strings.Fields(undated(n, 0)), " ")
	if len(text) > maxName || dom.HasPart(strings.ToLower(dom.Attr(n, "class")), "details", "userinfo", "postleft") {
		if by := first(n, 10, 0, func(c *html.Node) bool {
			return (c.DataAtom == atom.A || c.DataAtom == atom.Dt) && strings.TrimSpace(dom.Text(c)) != ""
		}); by != nil {
			text = strings.Join(strings.Fields(dom.Text(by)), " ")
		}
	}
	if len(text) > maxName {
		return ""
	}
	return text
}

// propertyName returns the name that structured data marks an element as, or "".
func propertyName(n *html.Node) string {
	if dom.Attr(n, "itemprop") != "name" {
		return ""
	}
	name := dom.Attr(n, "content")
	if name == "" {
		name = strings.Join(strings.Fields(dom.Text(n)), " ")
	}
	if len(name) > maxName {
		return ""
	}
	return name
}

// undated returns the text of an element without a date and words such as "says".
func undated(n *html.Node, depth int) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil && depth < 10; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.DataAtom == atom.Time || dom.HasWord(dom.Attr(c, "class"), "says") || dom.HasPart(dom.Attr(c, "class"),
			"time", "date"):
		default:
			b.WriteString(undated(c, depth+1))
		}
	}
	return b.String()
}

// isAuthorProperty reports whether structured data marks an element as the author.
func isAuthorProperty(n *html.Node) bool { return dom.Attr(n, "itemprop") == "author" }

// namesAuthor reports whether an element is marked as the name of an author.
func namesAuthor(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "rel":
			return a.Val == "author"
		case "class":
			for class := range strings.FieldsSeq(strings.ToLower(a.Val)) {
				switch class {
				case "username", "author", "author-name", "user-name", "postauthor", "post-author", "poster",
					"user-details", "creator", "names", "nickname", "fn", "bigusername", "authorname", "topic-author",
					"post_author", "comment-author", "comment-author-name", "wp-block-comment-author-name",
					"comment__author", "comment-name", "p-author", "p-name", "postleft", "userinfo", "hnuser":
					return true
				}
			}
		}
	}
	return false
}

// DateOf finds the date of a post.
func DateOf(n *html.Node) string {
	if dated := FirstDated(n); dated != nil {
		return DateText(dated)
	}
	return ""
}

// FirstDated returns the first element that is marked as a date and has one.
func FirstDated(n *html.Node) *html.Node {
	return first(n, 30, 0, func(c *html.Node) bool { return isDated(c) && DateText(c) != "" })
}

// DateText returns the date of an element that is marked as one: a value for programs, or
// its text.
func DateText(n *html.Node) string {
	for _, date := range [...]string{dom.Attr(n, "datetime"), dom.Attr(n, "content"), dom.Attr(n, "title"),
		dom.Text(n)} {
		date = strings.TrimSpace(date)
		if date != "" && len(date) <= maxName && strings.ContainsAny(date, "0123456789") {
			return date
		}
	}
	return ""
}

// isDated reports whether an element is marked as a date.
func isDated(n *html.Node) bool {
	property := dom.Attr(n, "itemprop")
	return n.DataAtom == atom.Time || property == "datePublished" || property == "dateCreated" ||
		dom.HasWord(dom.Attr(n, "class"), "relativetime") || dom.HasWord(dom.Attr(n, "class"), "age") ||
		dom.HasWord(dom.Attr(n, "class"), "postdate")
}
