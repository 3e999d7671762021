// Package view is what a browser without scripts would show: which elements of a page are
// visible, and their text in blocks (Outline), with tables and other structure (Layout).
// It asks soup for the tree and css for what is hidden, and opens the panels that a reader
// opens with a click. It does not judge which of it is content.
package view

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/legible"
	"techo/internal/page/css"
	"techo/internal/page/dom"
	"techo/internal/page/meta"
	"techo/internal/page/runes"
	"techo/internal/page/soup"
	"techo/internal/page/traits"
)

// Page is what a browser without scripts shows of a page.
type Page struct {
	meta.Data

	Removed Removed

	// Cut reports that the page has more elements than the limit. Everything except
	// Plain lacks the rest.
	Cut bool

	// Shell reports that the page is almost empty until its scripts run.
	Shell bool

	Work   int    // steps taken: visited elements, blocks and ancestors
	source string // the HTML
	root   *html.Node
	body   *html.Node
	styles *css.Sheet
	hidden map[*html.Node]bool
	silent map[*html.Node]bool // elements whose own text cannot be seen
	names  traits.Vocabulary
}

// Removed counts parts that a reader would not have seen.
type Removed struct {
	Hidden    int `json:"hidden"`    // hidden elements with text
	Comments  int `json:"comments"`  // comments
	Invisible int `json:"invisible"` // invisible characters
}

// Parse parses a page.
func Parse(source string) *Page { return parse(soup.ShowEmails(source), false) }

// ParsePart parses HTML that a page contains as data. It ignores data inside that HTML,
// which could nest without limit.
func ParsePart(source string) *Page { return parse(source, true) }

func parse(source string, within bool) *Page {
	t := soup.Parse(source)
	p := &Page{source: source, root: t.Root, Cut: t.Cut, names: traits.Vocabulary{},
		styles: css.Read(t.Styles, source, t.Foreign, t.Elements)}
	l := p.lookAt(within)
	if l.await() {
		l = p.lookAt(within)
	}
	l.unfold()
	p.Work += p.styles.Taken()
	p.Cut = p.Cut || p.styles.IsCut()
	if p.body == nil {
		p.body = p.root
	}
	p.Title = p.Tidy(p.Title)
	p.Shell = isShell(p.body, t.Size) || isMount(p.root, p.body)
	return p
}

// Clean removes and counts invisible characters.
func (p *Page) Clean(text string) string {
	text, removed := legible.Clean(text)
	p.Removed.Invisible += removed
	return text
}

// Tidy joins the lines of a text, and removes and counts invisible characters.
func (p *Page) Tidy(text string) string {
	text, removed := runes.Tidy(text)
	p.Removed.Invisible += removed
	return text
}

// isShell reports whether a page is large but almost empty because its scripts
// create the contents.
func isShell(body *html.Node, size int) bool {
	scripts, letters := 0, 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && letters < 200; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				letters += len(strings.TrimSpace(c.Data))
			case c.DataAtom == atom.Script:
				scripts++
			case c.DataAtom == atom.Style, c.DataAtom == atom.Template, c.DataAtom == atom.Noscript && !isContent(c):
			default:
				walk(c)
			}
		}
	}
	walk(body)
	return letters < 200 && (scripts > 0 && letters < 40 || scripts > 0 && size > 10_000 || scripts > 3)
}

// isMount reports whether a page is the empty frame of an application that its scripts fill: a
// script anywhere, and in the body next to nothing but an element for it.
func isMount(root, body *html.Node) bool {
	script := dom.First(root, func(n *html.Node) bool {
		kind := dom.Attr(n, "type")
		return n.DataAtom == atom.Script && (kind == "" || kind == "module" || strings.Contains(kind, "javascript"))
	})
	if script == nil {
		return false
	}
	letters, pictures, elements, empty, known := 0, 0, 0, false, false
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && letters < maxSplash; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				letters += len(strings.TrimSpace(c.Data))
				continue
			case c.Type != html.ElementNode, dom.HasCode(c):
				continue
			}
			elements++
			switch c.DataAtom {
			case atom.Img, atom.Picture, atom.Canvas, atom.Iframe, atom.Frame, atom.Video, atom.Input, atom.Object:
				pictures++
			}
			if c.DataAtom == 0 || c.DataAtom == atom.Div || c.DataAtom == atom.Main || c.DataAtom == atom.Section {
				empty = empty || dom.TextSize(c) == 0 && (c.DataAtom == 0 && strings.Contains(c.Data, "-") || dom.Attr(c, "id") != "")
				known = known || isMountPoint(c)
			}
			walk(c)
		}
	}
	walk(body)
	if known {
		return letters < maxSplash
	}
	return (empty || elements == 0) && letters < 40 && pictures == 0
}

// maxSplash is the number of bytes of text, such as "Loading", that an application shows before
// it starts.
const maxSplash = 120

// isMountPoint reports whether an element is the one that builders of applications write.
func isMountPoint(n *html.Node) bool {
	switch dom.Attr(n, "id") {
	case "root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "react-root", "app-root", "mount", "main-app",
		"ember-application", "redwood-app", "container-root", "application", "__docusaurus", "elm", "spa", "single-spa":
		return true
	}
	return n.Data == "app-root" || n.Data == "ion-app" || n.Data == "my-app" || n.Data == "flutter-view" ||
		n.Data == "router-outlet"
}

// isContent reports whether a noscript element has real text, not just a notice.
func isContent(n *html.Node) bool {
	letters, linked := 0, 0
	var walk func(n *html.Node, in bool)
	walk = func(n *html.Node, in bool) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode {
				size := len(strings.TrimSpace(c.Data))
				letters += size
				if in {
					linked += size
				}
			}
			walk(c, in || c.DataAtom == atom.A)
		}
	}
	walk(n, false)
	return letters >= 400 && linked*2 < letters
}

// Plain returns the same text as this Python program with html.parser:
//
//	for tag in soup(["script", "style", "nav", "footer"]): tag.decompose()
//	soup.get_text(separator="\n", strip=True)
//
// Each piece of text is on a line of its own, the title first. Unlike the
// program, Plain leaves out and counts elements that a browser would hide.
func (p *Page) Plain() string {
	p.Removed.Invisible = 0 // the title's characters were counted already
	p.styles.Restart()
	text, hidden := soup.Text(p.source, p.styles, p.Clean)
	p.Cut = p.Cut || p.styles.IsCut()
	p.Removed.Hidden = hidden
	return text
}

// Walk visits what can be seen: it calls text with each piece of text, and element with
// each element. It skips the contents of an element for which element returns false.
func (p *Page) Walk(element func(n *html.Node) bool, text func(text string)) {
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode && !p.silent[n]:
				text(c.Data)
			case c.Type == html.ElementNode && !p.hidden[c] && element(c):
				walk(c)
			}
		}
	}
	walk(p.root)
}

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

// Exclude removes the elements that match. Plain is not affected.
func (p *Page) Exclude(s css.Selector) error {
	all, err := s.Find(p.root, p.hidden)
	for _, n := range all {
		if n != p.body {
			n.Parent.RemoveChild(n)
		}
	}
	return err
}

// Select restricts the page to the elements that match, and returns their number. Plain
// is not affected.
func (p *Page) Select(s css.Selector) (int, error) {
	all, err := s.Find(p.root, p.hidden)
	if err != nil {
		return 0, err
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for _, n := range all {
		part := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		body.AppendChild(part)
		n.Parent.RemoveChild(n)
		part.AppendChild(n)
	}
	p.body = body
	return len(all), nil
}
