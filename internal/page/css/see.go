package css

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// See computes the look of an element from its parent's, and reports whether
// it is hidden with everything in it. Many pages hide body or html until their
// scripts have run, so these never are.
func (s *Sheet) See(n *html.Node, up Look) (own Look, hidden bool) {
	if len(s.rules) == 0 && !up.suspect && inheritsLook(n) {
		return up, false
	}
	if n.DataAtom == atom.Html || n.DataAtom == atom.Body {
		own, _ = s.examine(n, up)
		own.Silent, own.Unseen, own.sized = false, false, false
		return own, false
	}
	if s.late != nil && s.Shows(n) {
		return up, false
	}
	if isHidden(n) {
		return up, true
	}
	own, hidden = s.examine(n, up)
	if hidden && isLate(n) {
		return up, false
	}
	return own, hidden
}

// inheritsLook reports whether an element looks like the one around it on a page without style
// rules.
func inheritsLook(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Dialog, atom.Template, atom.Font:
		return false
	}
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "style", "bgcolor", "hidden", "aria-hidden", "inert", "popover":
			return false
		}
	}
	return true
}

// isHidden reports whether the attributes of an element hide it, its style apart.
func isHidden(n *html.Node) bool {
	hidden, open := n.DataAtom == atom.Dialog, false
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			hidden = hidden || a.Val != "until-found"
		case "inert", "popover":
			hidden = true
		case "open":
			open = n.DataAtom == atom.Dialog
		case "aria-hidden":
			hidden = hidden || strings.EqualFold(a.Val, "true") && !isEdit(n.DataAtom)
		case "id":
			if isLate(n) {
				return false
			}
		}
	}
	return n.DataAtom == atom.Template || hidden && !open
}

// isEdit reports whether an element is an old or a new version. Shops show them for prices,
// with a text for screen readers beside, which is hidden.
func isEdit(a atom.Atom) bool { return a == atom.Del || a == atom.Ins }

// isLate reports whether React streams late content in an element, which a script
// then moves into place.
func isLate(n *html.Node) bool {
	return n.DataAtom == atom.Div && strings.HasPrefix(dom.Attr(n, "id"), "S:")
}

// signature distinguishes an element from others by its attributes.
func signature(n *html.Node) string {
	return n.Data + " " + dom.Attr(n, "id") + " " + dom.Attr(n, "class") + " " + dom.Attr(n, "style")
}

// Show shows an element that scripts show, and those like it. unseen tells that its
// visibility hides it: the same rule applies to elements within.
func (s *Sheet) Show(n *html.Node, unseen bool) {
	s.late = map[string]bool{signature(n): true}
	s.visible = unseen
}

// Shows reports whether scripts show an element.
func (s *Sheet) Shows(n *html.Node) bool { return s.late[signature(n)] }

// HidingName returns the lower-case name of an attribute that can hide its
// element, or "".
func (s *Sheet) HidingName(name string) string {
	switch name = strings.ToLower(name); name {
	case "class", "style", "id", "hidden", "aria-hidden", "inert", "popover", "open", "color", "bgcolor":
		return name
	}
	if s != nil && s.attrs[name] {
		return name
	}
	return ""
}
