// Package page parses web pages: the text a person would see, and the part of it
// that is the main content. It runs no scripts, and its running time is linear in
// the size of the page.
package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is a parsed page.
type Page struct {
	Title string
	Lang  string // as declared, "" if missing

	// Alternate is the address of a Markdown version, "" if the page names none.
	Alternate string

	// Refresh is the target of an automatic redirect, "" if it has none.
	Refresh string

	Removed Removed

	// Cut reports that the page has more elements than the limit. Everything except
	// Plain lacks the rest.
	Cut bool

	// Shell reports that the page is almost empty until its scripts run.
	Shell bool

	facts        facts
	claims       claims
	products     int      // products in the structured data
	dataBody     string   // main content according to the structured data
	bodies       []string // texts that dataBodyOf compares with it
	descriptions []string // descriptions from the metadata
	described    []string // descriptions that describe adds to them
	states       []string // embedded data for scripts
	base         string   // base of relative links, "" for the page's own address
	work         int      // steps taken: visited elements, blocks and ancestors
	source       string   // the HTML
	within       bool     // parsed from the data of another page
	root         *html.Node
	body         *html.Node
	styles       sheet
	hidden       map[*html.Node]bool
	silent       map[*html.Node]bool // elements whose own text cannot be seen
	silenced     bool                // text was found in one of them
	folded       []folded            // hidden elements that a control may show
	names        vocabulary
	quiet        []quiet         // the outermost elements whose text cannot be seen
	opened       map[string]bool // ids of elements that controls open
	deep         bool            // nested too deeply for the HTML5 parser
}

// Removed counts parts that a reader would not have seen.
type Removed struct {
	Hidden    int `json:"hidden"`    // hidden elements with text
	Comments  int `json:"comments"`  // comments
	Invisible int `json:"invisible"` // invisible characters
}

// Parse parses a page. It always succeeds: errors are handled as in browsers, and
// nesting beyond the parser's limit is flattened.
func Parse(source string) *Page {
	p := newPage(showEmails(source))
	p.read()
	return p
}

func newPage(source string) *Page {
	return &Page{hidden: map[*html.Node]bool{}, silent: map[*html.Node]bool{}, names: vocabulary{}, source: source}
}

// unmark returns the text of HTML that a page contains as data. It ignores data
// inside that HTML, which could nest without limit.
func unmark(source string) string {
	if !strings.ContainsAny(source, "<&") {
		return source
	}
	p := newPage(source)
	p.within = true
	p.read()
	return p.Whole().Text()
}

func (p *Page) read() {
	size := measure(p.source)
	p.Cut = size.cut
	p.styles.foreign = size.foreign
	if len(size.styles) > 0 {
		p.styles.used = usedNames(p.source)
	}
	p.styles.add(size.styles)
	p.styles.used = nil
	p.styles.finish(size.elements)
	if !size.excessive() {
		p.root = parseTree(size.marked(p.source))
	}
	if p.root == nil {
		p.root, p.deep = parseFlat(size.lean(p.source)), true
	} else {
		restoreMarks(p.root, p.source)
	}
	p.look(p.root, false, look{})
	if await(p) {
		lookAgain(p)
	}
	p.unfold()
	p.work += p.styles.steps - p.styles.matcher.left
	p.Cut = p.Cut || p.styles.matcher.spent || p.styles.cut
	if p.body == nil {
		p.body = p.root
	}
	p.Title = p.tidy(p.Title)
	p.Shell = isShell(p.body, size.end)
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

// lookAgain evaluates the tree anew.
func lookAgain(p *Page) {
	again := newPage(p.source)
	again.within, again.root, again.styles, again.deep = p.within, p.root, p.styles, p.deep
	again.Cut, again.work = p.Cut, p.work
	*p = *again
	p.look(p.root, false, look{})
}

// look evaluates the head and finds hidden elements.
func (p *Page) look(n *html.Node, chrome bool, up look) {
	if up.silent {
		p.silent[n] = true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.work++
		switch c.Type {
		case html.CommentNode:
			p.Removed.Comments++
			continue
		case html.ElementNode:
		default:
			p.silenced = p.silenced || up.silent && strings.TrimSpace(c.Data) != ""
			continue
		}
		p.lookAt(c)
		p.facts.element(c)
		p.control(c)
		around := chrome || isChrome(c)
		own, hides := p.styles.see(c, up)
		if hides {
			p.hide(c, around, up)
			continue
		}
		if own.silent && !up.silent && !around {
			if own.unseen && isOpened(p, c) {
				path := own.path
				own, own.path = up, path
			} else {
				p.quiet = append(p.quiet, quiet{c, own.unseen})
			}
		}
		before := p.silenced
		p.silenced = before && up.silent
		p.look(c, around, own)
		if own.silent && !up.silent && p.silenced {
			p.Removed.Hidden++
		}
		p.silenced = p.silenced && up.silent || before
	}
}

// lookAt evaluates an element that describes the page.
func (p *Page) lookAt(c *html.Node) {
	switch c.DataAtom {
	case atom.Html:
		p.Lang = attr(c, "lang")
		p.claims |= claimsOfRoot(c)
	case atom.Body, atom.Frameset:
		if p.body == nil {
			p.body = c
			p.claims |= claimsOfRoot(c)
		}
	case atom.Base:
		if p.base == "" {
			p.base = attr(c, "href")
		}
	case atom.Title:
		if p.Title == "" && c.Namespace == "" {
			p.Title = allText(c)
		}
	case atom.Meta:
		p.meta(c)
	case atom.Script:
		switch {
		case p.within:
		case strings.Contains(attr(c, "type"), "ld+json"):
			p.linkedData(allText(c))
		default:
			p.state(c)
		}
	case atom.Link:
		p.link(c)
	}
}

// tidy joins the lines of a text and removes invisible characters.
func (p *Page) tidy(text string) string {
	return strings.Join(strings.Fields(p.clean(text)), " ")
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

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func allText(n *html.Node) string {
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

func (p *Page) hasText(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.work++
		switch {
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) != "":
			return true
		case c.Type == html.ElementNode && c.DataAtom != atom.Script && c.DataAtom != atom.Style && p.hasText(c):
			return true
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

// LooksLikeHTML reports whether bytes without a declared type look like HTML.
func LooksLikeHTML(head []byte) bool {
	head = bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 1024)], " \t\r\n\ufeff"))
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<div", "<p>", "<h1",
		"<script", "<!--"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return false
}
