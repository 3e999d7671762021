// Package soup reads tag soup in two ways: as a browser, which gives a tree, and as
// Python's html.parser with Beautiful Soup, which gives lines of text. It owns the limits
// of a page's size. Of style sheets it only asks which elements they hide.
package soup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Tree is a parsed page.
type Tree struct {
	Root *html.Node

	Styles  []string // the page's own style sheets for screens
	Foreign bool     // the page has external style sheets

	Elements int  // about as many as the page has
	Size     int  // bytes of the source within the limits
	Cut      bool // the source exceeds the limits
	flat     bool // nested too deeply for an HTML5 parser
}

// Parse reads the tree of a page. It always succeeds: errors are handled as in browsers,
// and nesting beyond the parser's limit is flattened.
func Parse(source string) *Tree {
	m := measure(source)
	t := &Tree{Styles: m.styles, Foreign: m.foreign, Elements: m.elements, Size: m.end, Cut: m.cut}
	if !m.excessive() {
		t.Root = parseTree(m.marked(source))
	}
	if t.Root == nil {
		t.Root, t.flat = parseFlat(m.lean(source)), true
	} else {
		restoreMarks(t.Root, source)
		if strings.Contains(source, "shadowrootmode") {
			showShadows(t.Root)
		}
	}
	return t
}

// parseTree parses a page as a browser without scripts does, so that the contents of
// noscript are elements. It returns nil if they are nested in more than 512 levels.
func parseTree(source string) *html.Node {
	root, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(false))
	if err == nil && swallows(root) {
		root, err = html.Parse(strings.NewReader(source))
	}
	if err != nil {
		return nil
	}
	return root
}

// swallows reports whether an iframe without an end in a noscript takes the rest of
// the page for its text. With scripts, a browser skips all of the noscript.
func swallows(n *html.Node) bool {
	for c := n.LastChild; c != nil; c = c.PrevSibling {
		switch c.DataAtom {
		case atom.Html, atom.Body, atom.Head, atom.Noscript:
			if swallows(c) {
				return true
			}
		case atom.Iframe:
			return n.DataAtom == atom.Noscript && c.FirstChild != nil &&
				strings.Contains(c.FirstChild.Data, "</noscript")
		}
	}
	return false
}

// maxDepth is the depth at which parseFlat flattens. The HTML5 parser fails at
// 512.
const maxDepth = 400

// parseFlat parses a page of any depth. Elements below maxDepth become siblings.
func parseFlat(source string) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	z := html.NewTokenizer(strings.NewReader(source))
	open := []*html.Node{root}
	names := []atom.Atom{0} // all open elements, including those below maxDepth
	count := map[atom.Atom]int{}
	top := func() *html.Node { return open[min(len(open), len(names))-1] }
	for {
		switch z.Next() {
		case html.ErrorToken:
			return root
		case html.TextToken:
			top().AppendChild(&html.Node{Type: html.TextNode, Data: string(z.Text())})
		case html.CommentToken:
			top().AppendChild(&html.Node{Type: html.CommentNode})
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
			top().AppendChild(n)
			if t.Type == html.SelfClosingTagToken || isVoid(t.DataAtom) {
				continue
			}
			names = append(names, t.DataAtom)
			count[t.DataAtom]++
			if len(names) <= maxDepth {
				open = append(open, n)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if count[a] == 0 {
				continue
			}
			for {
				last := names[len(names)-1]
				names = names[:len(names)-1]
				count[last]--
				if last == a {
					break
				}
			}
			open = open[:min(len(open), len(names))]
		}
	}
}

// isVoid reports whether an element never has contents.
func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}
