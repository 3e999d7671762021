// Package soup reads tag soup in two ways: as a browser, which gives a tree, and as
// Python's html.parser with Beautiful Soup, which gives lines of text. It owns the limits
// of a page's size. Of style sheets it only asks which elements they hide.
package soup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
)

// Tree is a parsed page.
type Tree struct {
	Root *html.Node

	Styles  []string // the page's own style sheets for screens
	Foreign bool     // the page has external style sheets

	Elements int  // about as many as the page has
	Size     int  // bytes of the source within the limits
	Cut      bool // the source exceeds the limits
}

// Parse reads the tree of a page. It always succeeds: errors are handled as in browsers,
// and nesting beyond the parser's limit is flattened.
func Parse(source string) *Tree {
	m := measure(source)
	t := &Tree{Styles: m.styles, Foreign: m.foreign, Elements: m.elements, Size: m.end, Cut: m.cut}
	if !m.excessive() {
		t.Root = parseTree(string(m.lean))
	}
	if t.Root == nil {
		t.Root = parseFlat(string(m.lean))
	} else if strings.Contains(source, "shadowrootmode") {
		showShadows(t.Root)
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

// isVoid reports whether an element never has contents in HTML.
func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// isEmpty reports whether an element never has contents for Beautiful Soup.
func isEmpty(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "menuitem", "meta", "param",
		"source", "track", "wbr",
		"basefont", "bgsound", "command", "frame", "image", "isindex", "nextid", "spacer":
		return true
	}
	return false
}

// ends reports whether the start of an element closes another one implicitly, by
// their names.
func ends(name, next string) bool {
	switch name {
	case "p":
		return next == "p" || dom.IsBlock(atom.Lookup([]byte(next))) && !strings.HasPrefix(next, "t") &&
			next != "button" &&
			next != "caption" || next == "table"
	case "li", "tr":
		return next == name
	case "dt", "dd":
		return next == "dt" || next == "dd"
	case "td", "th":
		return next == "td" || next == "th" || next == "tr"
	case "option", "optgroup":
		return next == "option" && name == "option" || next == "optgroup"
	case "thead", "tbody", "tfoot":
		return next == "tbody" || next == "tfoot"
	}
	return false
}

// holds reports whether an element keeps an enclosing element with an optional end
// tag open.
func holds(name string) bool {
	switch name {
	case "table", "ul", "ol", "dl", "menu", "select", "button", "object", "template", "caption", "svg", "math":
		return true
	}
	return false
}

// nameLength returns the length of the tag name that starts a text.
func nameLength(text string) (n int) {
	for n < len(text) && !runes.IsGap(text[n]) && text[n] != '/' && text[n] != '>' && text[n] != 0 {
		n++
	}
	return n
}

// showShadows puts the shadow trees that a page declares in the place of what their hosts
// contain, which goes into the slots or, without one, is not shown.
func showShadows(n *html.Node) {
	if t := shadowOf(n); t != nil {
		n.RemoveChild(t)
		own := childrenOf(n)
		for _, c := range childrenOf(t) {
			n.AppendChild(c)
		}
		slots := map[string]*html.Node{}
		slotsIn(n, slots)
		filled := map[*html.Node]bool{}
		for _, c := range own {
			slot := slots[dom.Attr(c, "slot")]
			if slot == nil || c.Type != html.ElementNode && c.Type != html.TextNode {
				continue
			}
			if !filled[slot] {
				filled[slot] = true
				childrenOf(slot) // what it shows if nothing is put in
			}
			slot.AppendChild(c)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		showShadows(c)
	}
}

// shadowOf returns the template of the shadow tree of an element, or nil.
func shadowOf(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		mode := strings.ToLower(dom.Attr(c, "shadowrootmode"))
		if c.DataAtom == atom.Template && (mode == "open" || mode == "closed") {
			return c
		}
	}
	return nil
}

func childrenOf(n *html.Node) (all []*html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		all = append(all, c)
	}
	return all
}

// slotsIn finds the first slot of each name, but none in the templates of other shadow trees.
func slotsIn(n *html.Node, slots map[string]*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Template {
			continue
		}
		if name := dom.Attr(c, "name"); c.DataAtom == atom.Slot && slots[name] == nil {
			slots[name] = c
		}
		slotsIn(c, slots)
	}
}
