// Package dom has what the packages around it ask of the nodes of a tree: attributes,
// words in classes, text, addresses. It knows nothing of a page as a whole.
package dom

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Absolute resolves an address. It returns "" if the result cannot be fetched.
func Absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	return u.String()
}

// First returns the first element that is wanted, an element or one in it, or nil.
func First(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	if n.Type == html.ElementNode && wanted(n) {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if found := First(c, wanted); found != nil {
			return found
		}
	}
	return nil
}

// HeadingLevel returns the level of a heading, 1 to 6, or 0 for other elements.
func HeadingLevel(a atom.Atom) int {
	return 1 + slices.Index([]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}, a)
}

// HasCode reports whether the text of an element is for machines.
func HasCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript:
		return true
	}
	return false
}

// TextSize returns the size of the text in an element in bytes, without scripts.
func TextSize(n *html.Node) (size int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			size += len(strings.TrimSpace(c.Data))
		case !HasCode(c):
			size += TextSize(c)
		}
	}
	return size
}

// IsStart reports whether a link leads to the start page of a site.
func IsStart(from *url.URL, href string) bool {
	if href = strings.TrimSpace(href); href == "" || href[0] == '#' {
		return false
	}
	u, err := from.Parse(href)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == "" && u.Fragment == ""
}

// ElementBefore returns the sibling element before a node, or nil.
func ElementBefore(n *html.Node) *html.Node {
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
		continue
	}
	return n
}

// ElementAfter returns the sibling element after a node, or nil.
func ElementAfter(n *html.Node) *html.Node {
	for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
		continue
	}
	return n
}

// HasWord reports whether a list of words separated by blanks has a word.
func HasWord(list, word string) bool {
	for at := 0; at < len(list); {
		n := strings.Index(list[at:], word)
		if n < 0 {
			return false
		}
		from, to := at+n, at+n+len(word)
		if (from == 0 || list[from-1] <= ' ') && (to == len(list) || list[to] <= ' ') {
			return true
		}
		at = to
	}
	return false
}

// Attr returns the value of an attribute, "" if it is missing.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Text returns all text in an element, also in scripts and style sheets.
func Text(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			}
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

// HasPart reports whether a text, such as a class, contains one of several parts.
func HasPart(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// IsBlock reports whether an element begins a line of its own.
func IsBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center,
		atom.Dd, atom.Details,
		atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.Frameset,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend,
		atom.Li, atom.Main,
		atom.Menu, atom.Nav, atom.Noscript, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Section,
		atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}
