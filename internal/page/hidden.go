package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// see computes the look of an element from its parent's, and reports whether
// it is hidden with everything in it. Many pages hide body or html until their
// scripts have run, so these never are.
func (s *sheet) see(n *html.Node, up look) (own look, hidden bool) {
	if len(s.rules) == 0 && !up.suspect && inheritsLook(n) {
		own = up
		own.path = noPath
		return own, false
	}
	at := pathOf(s, n, up.path)
	own, hidden = seeAt(s, n, up, at)
	own.path = at.index()
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

// seeAt is see for an element with a path.
func seeAt(s *sheet, n *html.Node, up look, at *path) (own look, hidden bool) {
	if n.DataAtom == atom.Html || n.DataAtom == atom.Body {
		own, _ = recall(s, n, up, at)
		own.silent, own.unseen, own.sized = false, false, false
		return own, false
	}
	if s.late != nil && s.late[signature(n)] {
		return up, false
	}
	if isHidden(n) {
		return up, true
	}
	own, hidden = recall(s, n, up, at)
	if hidden && isLate(n) {
		return up, false
	}
	return own, hidden
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
	return n.DataAtom == atom.Div && strings.HasPrefix(attr(n, "id"), "S:")
}

// hide records a hidden element. Possible panels of tabs and the like are
// reconsidered when all controls of the page are known.
func (p *Page) hide(n *html.Node, chrome bool, up look) {
	p.hidden[n] = true
	if !p.hasText(n) {
		return
	}
	p.Removed.Hidden++
	if !chrome && n.DataAtom != atom.Template {
		p.folded = append(p.folded, folded{n, up})
	}
}

// folded is a hidden element that a control may show.
type folded struct {
	node *html.Node
	up   look // of its parent
}

// unfold shows the panels of tabs, accordions and carousels, which a reader opens
// with a click. Elements hidden within a panel stay hidden.
func (p *Page) unfold() {
	for i := 0; i < len(p.folded); i++ { // unfolding adds nested panels
		n := p.folded[i].node
		if !p.opens(n) && !p.styles.late[signature(n)] {
			continue
		}
		delete(p.hidden, n)
		p.Removed.Hidden--
		up := p.folded[i].up
		up.path = pathOf(&p.styles, n, up.path).index()
		p.look(n, false, up)
	}
	p.folded, p.opened = nil, nil
}

// await finds the largest hidden element that has more text than the page shows.
// Many pages show it when their scripts have run; a saved page may have lost its
// scripts. It reports whether its text was taken for text that cannot be seen.
func await(p *Page) (again bool) {
	size := 300 // bytes
	var late *html.Node
	for _, f := range p.folded {
		if n := textSize(f.node); n > size {
			size, late = n, f.node
		}
	}
	unseen := false
	for _, quiet := range p.quiet {
		if n := textSize(quiet.node); n > size {
			size, late, again, unseen = n, quiet.node, true, quiet.unseen
		}
	}
	if late == nil || p.Cut {
		return false
	}
	shown := shownSize(p, p.root)
	if size <= shown || !strings.Contains(p.source, "<script") && (size < minSaved || size < 10*shown) {
		return false
	}
	p.styles.late = map[string]bool{signature(late): true}
	if p.styles.visible = unseen; unseen { // the same rule applies to elements within
		p.styles.paths.all, p.styles.paths.list = nil, nil
	}
	return again
}

// minSaved is the length in bytes of a hidden text that is shown on a page without
// scripts and almost without other text.
const minSaved = 2000

// shownSize returns the size of the text in an element that can be seen, in bytes.
func shownSize(p *Page, n *html.Node) (size int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && !p.silent[n]:
			size += len(strings.TrimSpace(c.Data))
		case c.Type == html.ElementNode && !p.hidden[c] && !hasCode(c):
			size += shownSize(p, c)
		}
	}
	return size
}

// hasCode reports whether the text of an element is for machines.
func hasCode(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript:
		return true
	}
	return false
}

// textSize returns the size of the text in an element in bytes, without scripts.
func textSize(n *html.Node) (size int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			size += len(strings.TrimSpace(c.Data))
		case !hasCode(c):
			size += textSize(c)
		}
	}
	return size
}

// signature distinguishes an element from others by its attributes.
func signature(n *html.Node) string {
	return n.Data + " " + attr(n, "id") + " " + attr(n, "class") + " " + attr(n, "style")
}

// opens reports whether a control opens a hidden element.
func (p *Page) opens(n *html.Node) bool {
	t := p.names.traitsOf(n)
	if t&(namedDialog|namedMenu|namedCookie|namedCart|namedHidden|namedFilter|inNav|inFooter|inForm) != 0 {
		return false
	}
	return t&namedPanel != 0 || p.opened[attr(n, "id")] || followsControl(n) && !isSpoken(&p.styles, n)
}

// quiet is an element whose text cannot be seen.
type quiet struct {
	node   *html.Node
	unseen bool // by its visibility
}

// isOpened reports whether a control opens an element, or the one that has nothing but
// this element.
func isOpened(p *Page, n *html.Node) bool {
	up := n.Parent
	return p.opens(n) || up != nil && up.FirstChild == n && up.LastChild == n && p.opens(up)
}

// followsControl reports whether an element is directly after a button that says so,
// as the panels of an accordion, or is the body of details.
func followsControl(n *html.Node) bool {
	if !isBlock(n.DataAtom) || n.DataAtom == atom.Button {
		return false
	}
	if n.Parent != nil && n.Parent.DataAtom == atom.Details {
		return true
	}
	for c := n.PrevSibling; c != nil; c = c.PrevSibling {
		switch {
		case c.Type == html.ElementNode && c.DataAtom != atom.Style && c.DataAtom != atom.Script:
			return isOpener(c)
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return false
		}
	}
	return false
}

// isOpener reports whether an element is a control that opens what follows, or has
// nothing but one.
func isOpener(n *html.Node) bool {
	for depth := 0; n != nil && depth < 4; depth++ {
		if n.DataAtom == atom.Button || n.DataAtom == atom.Summary || attr(n, "role") == "button" ||
			attr(n, "aria-expanded") != "" {
			return true
		}
		n = onlyElement(n)
	}
	return false
}

// onlyElement returns the only content of an element, style sheets apart, if that is an
// element, or nil.
func onlyElement(n *html.Node) (only *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.DataAtom == atom.Style:
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return nil
		case c.Type == html.ElementNode && only != nil:
			return nil
		case c.Type == html.ElementNode:
			only = c
		}
	}
	return only
}

// control records the panel that a control opens.
func (p *Page) control(n *html.Node) {
	for _, a := range n.Attr {
		switch a.Key {
		case "aria-controls", "data-target", "data-bs-target", "href":
			id := strings.TrimPrefix(a.Val, "#")
			if id == "" || a.Key == "href" &&
				(id == a.Val || attr(n, "role") != "tab" && attr(n, "data-toggle")+attr(n, "data-bs-toggle") == "") {
				continue
			}
			if p.opened == nil {
				p.opened = map[string]bool{}
			}
			p.opened[id] = true
		}
	}
}

// isChrome reports whether an element surrounds the content: navigation, footer
// and the like.
func isChrome(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Dialog:
		return true
	}
	return false
}
