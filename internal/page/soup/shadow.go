package soup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

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

// childrenOf takes the children from a node.
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
