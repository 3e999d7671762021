package view

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// Anchor returns the heading for the fragment of an address: the element with that
// id, its nearest enclosing heading, or the first heading in or after it. It
// returns "" if the page has no such id.
func (p *Page) Anchor(id string) string {
	var around, found *html.Node
	seen := false
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && found == nil; c = c.NextSibling {
			if c.Type != html.ElementNode || p.hidden[c] {
				continue
			}
			before := around
			if dom.HeadingLevel(c.DataAtom) > 0 {
				around = c
			}
			if id != "" && (dom.Attr(c, "id") == id || c.DataAtom == atom.A && dom.Attr(c, "name") == id) {
				seen = true
			}
			if seen && around != nil {
				found = around
				return
			}
			walk(c)
			around = before
		}
	}
	walk(p.root)
	if found == nil {
		return ""
	}
	return p.Tidy(dom.Text(found))
}
