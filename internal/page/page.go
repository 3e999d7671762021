// Package page reads a web page: what a person would see of it, and which part
// of that is its content. It never runs anything, and everything it does takes
// time in proportion to the page.
package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is a page that was read.
type Page struct {
	Title string
	Lang  string // as the page says it, "" when it does not

	// Alternate is a Markdown version that the page points to, "" for none.
	Alternate string

	// Refresh is where the page would go on to by itself, "" for nowhere.
	Refresh string

	Removed Removed

	// Shell says that the page holds next to nothing until its scripts run.
	Shell bool

	sort     sort
	products int      // which it describes to machines
	said     string   // its content, as it tells machines
	told     []string // what the page says of itself: descriptions for machines
	states   []string // data for its scripts
	base     string   // what links are relative to, "" for the page's own address
	work     int      // steps taken: elements, blocks and ancestors looked at
	source   string   // as it came
	within   bool     // it is the data of another page
	root     *html.Node
	body     *html.Node
	hidden   map[*html.Node]bool
	folded   []*html.Node    // hidden, but perhaps not for good
	opened   map[string]bool // ids of what controls open
	deep     bool            // nested too deeply for a tree after the rules of HTML
}

// Removed counts what nobody would have seen.
type Removed struct {
	Hidden    int `json:"hidden"`    // elements that are not shown, with text in them
	Comments  int `json:"comments"`  // comments
	Invisible int `json:"invisible"` // characters without a look of their own
}

// Parse reads a page. It always succeeds: what is broken is read as browsers
// do, and what is nested deeper than a parser goes is read flat.
func Parse(source string) *Page {
	p := &Page{hidden: map[*html.Node]bool{}, source: source}
	p.read()
	return p
}

// unmark returns the text of a piece of HTML that a page holds as data. What
// data this holds in turn is not read: there may be any number within another.
func unmark(source string) string {
	if !strings.ContainsAny(source, "<&") {
		return source
	}
	p := &Page{hidden: map[*html.Node]bool{}, source: source, within: true}
	p.read()
	return p.Whole().Text()
}

func (p *Page) read() {
	source := p.source
	root, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(false))
	if err != nil { // nested deeper than 512
		root, p.deep = parseFlat(source), true
	}
	p.root = root
	p.look(root, false)
	p.unfold()
	if p.body == nil {
		p.body = root
	}
	p.Title = p.tidy(p.Title)
	p.Shell = isShell(p.body, len(source))
}

// look finds what the head says, and what is hidden.
func (p *Page) look(n *html.Node, chrome bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.work++
		switch c.Type {
		case html.CommentNode:
			p.Removed.Comments++
			continue
		case html.ElementNode:
		default:
			continue
		}
		p.lookAt(c)
		p.control(c)
		around := chrome || isChrome(c)
		if isHidden(c) {
			p.hide(c, around)
			continue
		}
		p.look(c, around)
	}
}

// lookAt takes what an element says of the whole page.
func (p *Page) lookAt(c *html.Node) {
	switch c.DataAtom {
	case atom.Html:
		p.Lang = attr(c, "lang")
		p.sort |= sortOfRoot(c)
	case atom.Body, atom.Frameset:
		if p.body == nil {
			p.body = c
			p.sort |= sortOfRoot(c)
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

// tidy makes one line of a text, without what cannot be seen.
func (p *Page) tidy(text string) string {
	return strings.Join(strings.Fields(p.clean(text)), " ")
}

// isShell reports whether a page is large and nearly empty: its scripts would
// make what it shows.
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
			case c.DataAtom == atom.Style, c.DataAtom == atom.Template, c.DataAtom == atom.Noscript:
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

// maxDepth is how deep the tree of a page is that was read flat; a parser
// after the rules of HTML stops at 512.
const maxDepth = 400

// parseFlat reads a page of any depth: elements below maxDepth are siblings.
func parseFlat(source string) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	z := html.NewTokenizer(strings.NewReader(source))
	open := []*html.Node{root}
	names := []atom.Atom{0} // of all open elements, also of those beyond maxDepth
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

// isVoid reports whether an element has nothing in it.
func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// Looks says whether bytes without a type of their own are HTML.
func Looks(head []byte) bool {
	head = bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 1024)], " \t\r\n\ufeff"))
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<div", "<p>", "<h1", "<script", "<!--"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return false
}
