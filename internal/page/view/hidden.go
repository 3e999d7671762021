package view

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/css"
	"techo/internal/page/dom"
	"techo/internal/page/meta"
	"techo/internal/page/traits"
)

// looker finds the hidden elements of a page.
type looker struct {
	page     *Page
	within   bool            // the page is data of another one
	silenced bool            // text was found that cannot be seen
	folded   []folded        // hidden elements that a control may show
	quiet    []quiet         // the outermost elements whose text cannot be seen
	opened   map[string]bool // ids of elements that controls open
}

// lookAt evaluates a page anew: its elements, and the ones that are hidden.
func (p *Page) lookAt(within bool) *looker {
	p.Data, p.Removed, p.body = meta.Data{}, Removed{}, nil
	p.hidden, p.silent = map[*html.Node]bool{}, map[*html.Node]bool{}
	l := &looker{page: p, within: within, opened: map[string]bool{}}
	l.look(p.root, false, css.Look{})
	return l
}

// look evaluates what an element contains.
func (l *looker) look(n *html.Node, chrome bool, up css.Look) {
	if up.Silent {
		l.page.silent[n] = true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		l.page.Work++
		switch c.Type {
		case html.CommentNode:
			l.page.Removed.Comments++
			continue
		case html.ElementNode:
		default:
			l.silenced = l.silenced || up.Silent && strings.TrimSpace(c.Data) != ""
			continue
		}
		if l.page.body == nil && (c.DataAtom == atom.Body || c.DataAtom == atom.Frameset) {
			l.page.body = c
		}
		l.page.Evaluate(c, l.within)
		l.control(c)
		around := chrome || isChrome(c)
		own, hides := l.page.styles.See(c, up)
		if hides && !hasFormula(c) {
			l.hide(c, around, up)
			continue
		}
		if own.Silent && !up.Silent && !around {
			if own.Unseen && l.isOpened(c) {
				own = up
			} else {
				l.quiet = append(l.quiet, quiet{c, own.Unseen})
			}
		}
		before := l.silenced
		l.silenced = before && up.Silent
		l.look(c, around, own)
		if own.Silent && !up.Silent && l.silenced {
			l.page.Removed.Hidden++
		}
		l.silenced = l.silenced && up.Silent || before
	}
}

// hide records a hidden element. Possible panels of tabs and the like are
// reconsidered when all controls of the page are known.
func (l *looker) hide(n *html.Node, chrome bool, up css.Look) {
	l.page.hidden[n] = true
	if !l.hasText(n) {
		return
	}
	l.page.Removed.Hidden++
	if !chrome && n.DataAtom != atom.Template {
		l.folded = append(l.folded, folded{n, up})
	}
}

// hasText reports whether an element has text beside scripts and style sheets.
func (l *looker) hasText(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		l.page.Work++
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return true
		case c.Type == html.ElementNode && c.DataAtom != atom.Script && c.DataAtom != atom.Style && l.hasText(c):
			return true
		}
	}
	return false
}

// folded is a hidden element that a control may show.
type folded struct {
	node *html.Node
	up   css.Look // of its parent
}

// unfold shows the panels of tabs, accordions and carousels, which a reader opens
// with a click. Elements hidden within a panel stay hidden.
func (l *looker) unfold() {
	for i := 0; i < len(l.folded); i++ { // unfolding adds nested panels
		n := l.folded[i].node
		if !l.opens(n) && !l.page.styles.Shows(n) {
			continue
		}
		delete(l.page.hidden, n)
		l.page.Removed.Hidden--
		l.look(n, false, l.folded[i].up)
	}
}

// await finds the largest hidden element that has more text than the page shows.
// Many pages show it when their scripts have run; a saved page may have lost its
// scripts. It reports whether its text was taken for text that cannot be seen.
func (l *looker) await() (again bool) {
	size := 300 // bytes
	var late *html.Node
	for _, f := range l.folded {
		if n := dom.TextSize(f.node); n > size {
			size, late = n, f.node
		}
	}
	unseen := false
	for _, quiet := range l.quiet {
		if n := dom.TextSize(quiet.node); n > size {
			size, late, again, unseen = n, quiet.node, true, quiet.unseen
		}
	}
	if late == nil || l.page.Cut {
		return false
	}
	shown := l.page.shownSize(l.page.root)
	if size <= shown || !strings.Contains(l.page.source, "<script") && (size < minSaved || size < 10*shown) {
		return false
	}
	l.page.styles.Show(late, unseen)
	return again
}

// minSaved is the length in bytes of a hidden text that is shown on a page without
// scripts and almost without other text.
const minSaved = 2000

// shownSize returns the size of the text in an element that can be seen, in bytes.
func (p *Page) shownSize(n *html.Node) (size int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && !p.silent[n]:
			size += len(strings.TrimSpace(c.Data))
		case c.Type == html.ElementNode && !p.hidden[c] && !dom.HasCode(c):
			size += p.shownSize(c)
		}
	}
	return size
}

// opens reports whether a control opens a hidden element.
func (l *looker) opens(n *html.Node) bool {
	t := l.page.names.Of(n)
	if t&(traits.NamedDialog|traits.NamedMenu|traits.NamedCookie|traits.NamedCart|traits.NamedHidden|
		traits.NamedFilter|traits.InNav|traits.InFooter|traits.InForm) != 0 {
		return false
	}
	return t&traits.NamedPanel != 0 || l.opened[dom.Attr(n, "id")] || followsControl(n) && !l.page.styles.IsSpoken(n)
}

// quiet is an element whose text cannot be seen.
type quiet struct {
	node   *html.Node
	unseen bool // by its visibility
}

// isOpened reports whether a control opens an element, or the one that has nothing but
// this element.
func (l *looker) isOpened(n *html.Node) bool {
	up := n.Parent
	return l.opens(n) || up != nil && up.FirstChild == n && up.LastChild == n && l.opens(up)
}

// followsControl reports whether an element is directly after a button that says so,
// as the panels of an accordion, or is the body of details.
func followsControl(n *html.Node) bool {
	if !dom.IsBlock(n.DataAtom) || n.DataAtom == atom.Button {
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
		if n.DataAtom == atom.Button || n.DataAtom == atom.Summary || dom.Attr(n, "role") == "button" ||
			dom.Attr(n, "aria-expanded") != "" {
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
func (l *looker) control(n *html.Node) {
	for _, a := range n.Attr {
		switch a.Key {
		case "aria-controls", "data-target", "data-bs-target", "href":
			id := strings.TrimPrefix(a.Val, "#")
			if id == "" || a.Key == "href" &&
				(id == a.Val || dom.Attr(n, "role") != "tab" && dom.Attr(n, "data-toggle")+dom.Attr(n,
					"data-bs-toggle") == "") {
				continue
			}
			l.opened[id] = true
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
