package page

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// block is a run of text between two line breaks of a browser's layout.
type block struct {
	elem  int    // index of the enclosing element
	text  string // with collapsed white space, except in pre
	runs  []run  // the parts of the text, for rendering
	words float64
	link  float64 // number of words in links
	tag   atom.Atom
}

// run is a part of a block: text, an image or a line break.
type run struct {
	text  string
	href  string // target of the enclosing link
	image string // source of an image; its alternative text is the text

	from, to int32 // range in the text of the block
	style    style
	raw      bool // the text is Markdown
}

// isPost reports whether an element is one of several posts of a thread.
func (e *element) isPost() bool {
	return e.like >= 2 && (e.own&(namedPost|namedComment|isEntry) != 0 || hasWord(attr(e.node, "class"), "post"))
}

// picture is a group of images without text.
type picture struct {
	elem  int
	block int // the next block
	runs  []run
}

// style is the formatting of a run.
type style uint8

const (
	bold style = 1 << iota
	italic
	code
	deleted
	raised
	lowered
	lineBreak
)

// element is an element that contains blocks, with statistics of its contents.
type element struct {
	node        *html.Node
	parent      int // index, -1 for the root
	depth       int
	traits      traits // its own and those inherited
	own         traits
	inSmallForm bool // inside a form that does not span the page
	inPost      bool // the element or one around it is a post of a thread
	inComment   bool // inside a comment that no nearer post contains

	first, last int // blocks first to last-1
	words, link float64
	prose       float64 // words in blocks that read like sentences
	like        int     // siblings with the same tag and class
	name        uint64
}

// outliner splits a page into blocks.
type outliner struct {
	page   *Page
	elems  []element
	blocks []block

	pictures []picture  // those without text beside them
	siblings []template // a stack for templatesIn

	at      int // index of the current element
	text    strings.Builder
	runs    []run
	links   float64
	href    string
	style   style
	preform int
	blank   bool // the current text is empty or ends with a blank
	broken  bool // a line of the source ended; the next character decides whether that is a blank
	joint   bool // one element ended and the next begins without white space between them
}

// outline splits a page into blocks.
func (p *Page) outline() *outliner {
	o := &outliner{page: p, blank: true}
	o.elems = append(o.elems, element{node: p.body, parent: -1})
	o.children(p.body, 0)
	o.end()
	o.elems[0].last = len(o.blocks)
	for i := len(o.elems) - 1; i > 0; i-- { // children have larger indexes than their parents
		e, up := &o.elems[i], &o.elems[o.elems[i].parent]
		up.words, up.link, up.prose = up.words+e.words, up.link+e.link, up.prose+e.prose
	}
	return o
}

// children visits the children of a node inside element at.
func (o *outliner) children(n *html.Node, at int) {
	from := len(o.siblings)
	siblings := o.templatesIn(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		o.page.work += 2 // one step for the templates
		switch c.Type {
		case html.TextNode:
			if !o.page.silent[n] {
				o.at = at
				o.add(c.Data)
			}
		case html.ElementNode:
			if !o.page.hidden[c] {
				o.element(c, at, siblings)
			}
		}
	}
	o.siblings = o.siblings[:from]
}

func (o *outliner) element(c *html.Node, at int, siblings templates) {
	switch c.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Canvas, atom.Video, atom.Audio,
		atom.Head, atom.Title,
		atom.Select, atom.Datalist, atom.Textarea, atom.Rp, atom.Map, atom.Noembed, atom.Noframes:
		return
	case atom.Svg, atom.Input:
		return
	case atom.Td:
		if isGutter(c) {
			return
		}
	case atom.Noscript:
		if !isContent(c) {
			return
		}
	case atom.Br:
		o.at = at
		o.breakLine()
		return
	case atom.Wbr:
		return
	case atom.Img:
		o.image(c, at)
		return
	case atom.Rt:
		o.ruby(c)
		return
	}
	if !isBlock(c.DataAtom) {
		o.inline(c, at)
		return
	}
	o.end()
	e := element{node: c, parent: at, depth: o.elems[at].depth + 1, first: len(o.blocks)}
	e.like = siblings.count(c)
	e.own, e.name = o.page.names.traitsOf(c), nameOf(c)
	e.traits = o.elems[at].traits | e.own
	e.inPost = o.elems[at].inPost || e.isPost()
	o.elems = append(o.elems, e)
	me := len(o.elems) - 1
	if c.DataAtom == atom.Pre {
		o.preform++
	}
	o.children(c, me)
	o.end()
	if c.DataAtom == atom.Pre {
		o.preform--
	}
	o.elems[me].last = len(o.blocks)
}

// inline visits an inline element.
func (o *outliner) inline(c *html.Node, at int) {
	if isPermalink(c) {
		return
	}
	href, set := o.href, o.style
	o.joint = isApart(c) && c.PrevSibling != nil && isApart(c.PrevSibling)
	switch c.DataAtom {
	case atom.A:
		if h := attr(c, "href"); h != "" {
			o.href = h
		}
	case atom.B, atom.Strong:
		o.style |= bold
	case atom.I, atom.Em, atom.Cite, atom.Dfn:
		o.style |= italic
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		o.style |= code
	case atom.Del, atom.S, atom.Strike:
		o.style |= deleted
	case atom.Sup:
		o.style |= raised
	case atom.Sub:
		o.style |= lowered
	}
	o.children(c, at)
	o.href, o.style = href, set
}

// add appends text to the current block.
func (o *outliner) add(text string) {
	text = o.page.clean(text)
	if o.preform == 0 {
		text = o.collapse(text)
	} else if o.text.Len() == 0 {
		text = strings.TrimPrefix(text, "\n")
	}
	if text == "" {
		return
	}
	if o.joint {
		text = o.separate(text)
	}
	o.write(text)
	if o.href != "" {
		o.links += countWords(text)
	}
}

// write appends text to the current run, starting one if needed.
func (o *outliner) write(text string) {
	from := int32(o.text.Len())
	o.text.WriteString(text)
	if n := len(o.runs); n > 0 && o.runs[n-1].href == o.href && o.runs[n-1].style == o.style &&
		o.runs[n-1].image == "" {
		o.runs[n-1].to = int32(o.text.Len())
		return
	}
	o.runs = append(o.runs, run{href: o.href, style: o.style, from: from, to: int32(o.text.Len())})
}

// collapse collapses white space, also across runs.
func (o *outliner) collapse(text string) string {
	if o.broken {
		text, o.broken, o.blank = "\n"+text, false, false
	}
	plain := true
	for i := 0; i < len(text); i++ {
		if c := text[i]; c <= ' ' && (c != ' ' || i == 0 || text[i-1] == ' ') || c == 0xc2 {
			plain = false
			break
		}
	}
	if plain {
		o.blank = text != "" && text[len(text)-1] == ' '
		return text
	}
	var b strings.Builder
	last, _ := utf8.DecodeLastRuneInString(o.text.String())
	for i, r := range text {
		if isBlankRune(r) {
			if o.blank {
				continue
			}
			o.blank = true
			broken, next := false, rune(0)
			if unspaced(last) { // reads all blanks, thus once for several
				broken, next = breaksLine(text[i:])
			}
			switch {
			case broken && next == 0:
				o.broken = true
			case !broken || !unspaced(next):
				b.WriteByte(' ')
			}
			continue
		}
		o.blank = false
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// isApart reports whether style sheets usually separate an inline element from its
// neighbours.
func isApart(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Span, atom.Label, atom.Time, atom.Abbr, atom.Small:
		return true
	}
	return n.Type == html.ElementNode && n.DataAtom == 0
}

// separate inserts a blank between two words of adjacent elements that style
// sheets would separate.
func (o *outliner) separate(text string) string {
	o.joint = false
	before := o.text.String()
	if o.preform > 0 || o.style&code != 0 || len(before) < 2 || len(text) < 2 {
		return text
	}
	if !isWord(before[len(before)-1]) || !isWord(before[len(before)-2]) || !isWord(text[0]) || !isWord(text[1]) {
		return text
	}
	return " " + text
}

// isWord reports whether c is an ASCII letter or digit.
func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

func (o *outliner) breakLine() {
	if o.text.Len() == 0 {
		return
	}
	o.text.WriteByte('\n')
	o.runs = append(o.runs, run{style: lineBreak, from: int32(o.text.Len() - 1), to: int32(o.text.Len())})
	o.blank, o.broken = true, false
}

// ruby writes a reading in parentheses after its base text.
func (o *outliner) ruby(c *html.Node) {
	if reading := o.page.tidy(allText(c)); reading != "" {
		o.blank = false
		o.write("（" + reading + "）")
	}
}

func (o *outliner) image(c *html.Node, at int) {
	if src := imageSource(c); src != "" {
		o.at, o.blank, o.broken = at, false, false
		o.runs = append(o.runs, run{text: o.page.tidy(attr(c, "alt")), image: src, href: o.href})
	}
}

// end closes the current block.
func (o *outliner) end() {
	text := o.text.String()
	trimmed := strings.TrimSpace(text)
	if trimmed != "" {
		for i := range o.runs {
			if r := &o.runs[i]; r.image == "" {
				r.text = text[r.from:r.to]
			}
		}
		if o.preform == 0 {
			text = trimmed
		} else {
			text = strings.TrimRight(text, " \n\t\r")
		}
		b := block{elem: o.at, text: text, runs: o.runs, words: countWords(text), link: o.links}
		b.link = min(b.link, b.words)
		b.tag = o.elems[o.at].node.DataAtom
		e := &o.elems[o.at]
		e.words += b.words
		e.link += b.link
		if isProse(&b) {
			e.prose += b.words
		}
		o.blocks = append(o.blocks, b)
		o.runs = nil
	} else if len(o.runs) > 0 {
		var images []run
		for _, r := range o.runs {
			if r.image != "" {
				images = append(images, r)
			}
		}
		if o.runs = nil; images != nil {
			o.pictures = append(o.pictures, picture{elem: o.at, block: len(o.blocks), runs: images})
		}
	}
	o.text.Reset()
	o.links, o.blank, o.broken = 0, true, false
}
