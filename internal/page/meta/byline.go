package meta

import (
	"slices"
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
	if by := firstNamed(n, 0, isAuthorProperty); by != nil {
		return by
	}
	return firstNamed(n, 0, namesAuthor)
}

// firstNamed returns the first element with a name that is marked as an author.
func firstNamed(n *html.Node, depth int, marked func(n *html.Node) bool) *html.Node {
	for c := n.FirstChild; c != nil && depth < 30; c = c.NextSibling {
		if c.Type != html.ElementNode || c.DataAtom == atom.Time {
			continue
		}
		if marked(c) && NameIn(c) != "" {
			return c
		}
		if by := firstNamed(c, depth+1, marked); by != nil {
			return by
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
	if name := firstName(n, 0); name != "" {
		return name
	}
	n = innermost(n)
	text := strings.Join(strings.Fields(undated(n, 0)), " ")
	if len(text) > maxName || dom.HasPart(strings.ToLower(dom.Attr(n, "class")), "details", "userinfo", "postleft") {
		if first := firstOf(n, 0, atom.A, atom.Dt); first != nil {
			text = strings.Join(strings.Fields(dom.Text(first)), " ")
		}
	}
	if len(text) > maxName {
		return ""
	}
	return text
}

// innermost returns the innermost element marked as an author that has text.
func innermost(n *html.Node) *html.Node {
	for c := markedWithin(n, 0); c != nil; c = markedWithin(c, 0) {
		n = c
	}
	return n
}

// markedWithin returns the first element with text in another that is marked as an author.
func markedWithin(n *html.Node, depth int) *html.Node {
	for c := n.FirstChild; c != nil && depth < 10; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if namesAuthor(c) && strings.TrimSpace(undated(c, 0)) != "" {
			return c
		}
		if by := markedWithin(c, depth+1); by != nil {
			return by
		}
	}
	return nil
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

// firstName returns the first text with the property "name" in an element.
func firstName(n *html.Node, depth int) string {
	for c := n.FirstChild; c != nil && depth < 10; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if dom.Attr(c, "itemprop") == "name" {
			name := dom.Attr(c, "content")
			if name == "" {
				name = strings.Join(strings.Fields(dom.Text(c)), " ")
			}
			if name != "" && len(name) <= maxName {
				return name
			}
		}
		if name := firstName(c, depth+1); name != "" {
			return name
		}
	}
	return ""
}

// firstOf returns the first element with text of one of the kinds.
func firstOf(n *html.Node, depth int, kinds ...atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil && depth < 10; c = c.NextSibling {
		if c.Type == html.ElementNode && slices.Contains(kinds, c.DataAtom) && strings.TrimSpace(dom.Text(c)) != "" {
			return c
		}
		if first := firstOf(c, depth+1, kinds...); first != nil {
			return first
		}
	}
	return nil
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
func DateOf(n *html.Node, depth int) string {
	if dated := FirstDated(n, depth); dated != nil {
		return DateText(dated)
	}
	return ""
}

// FirstDated returns the first element that is marked as a date and has one.
func FirstDated(n *html.Node, depth int) *html.Node {
	for c := n.FirstChild; c != nil && depth < 30; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if isDated(c) && DateText(c) != "" {
			return c
		}
		if dated := FirstDated(c, depth+1); dated != nil {
			return dated
		}
	}
	return nil
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
		dom.HasWord(dom.Attr(n, "class"), "relativetime")
}
