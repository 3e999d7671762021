package page

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// block is a run of text between two places where a browser begins a new line.
type block struct {
	elem  int    // the element that it lies in
	text  string // blanks made one, except in pre
	runs  []run  // what it is made of, for rendering
	words float64
	link  float64 // words in links
	tag   atom.Atom
}

// run is a piece of a block: text, an image, or a line break.
type run struct {
	text  string
	href  string // of the link that it is in
	image string // source of an image, whose description is the text
	style style

	from, to int // where it is in the text of the block
}

// style is how a run is set.
type style uint8

const (
	bold style = 1 << iota
	italic
	code
	lineBreak
)

// element is one that blocks lie in, with what is in it.
type element struct {
	node   *html.Node
	parent int // -1 is none
	depth  int
	traits traits // its own and its ancestors'
	own    traits
	asks   bool // in a form that is not all of the page
	remark bool // in a comment, and in no post that is nearer

	first, last int // its blocks are first to last-1
	words, link float64
	prose       float64 // words of blocks that read like sentences
	like        int     // siblings of the same tag and class
	name        uint64
}

// outliner cuts a page into blocks.
type outliner struct {
	page   *Page
	elems  []element
	blocks []block

	at      int // the element that text goes to now
	text    strings.Builder
	runs    []run
	links   float64
	href    string
	style   style
	preform int
	blank   bool // the text so far ends with a blank, or is empty
	joint   bool // an element ended, and another begins, without a blank
}

// outline cuts a page into blocks.
func (p *Page) outline() *outliner {
	o := &outliner{page: p, blank: true}
	o.elems = append(o.elems, element{node: p.body, parent: -1})
	o.children(p.body, 0)
	o.end()
	o.elems[0].last = len(o.blocks)
	for i := len(o.elems) - 1; i > 0; i-- { // children come after their parents
		e, up := &o.elems[i], &o.elems[o.elems[i].parent]
		up.words, up.link, up.prose = up.words+e.words, up.link+e.link, up.prose+e.prose
	}
	return o
}

// children walks what is below an element that at stands for.
func (o *outliner) children(n *html.Node, at int) {
	likes := likeness(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		o.page.work += 2 // for the likeness too
		switch c.Type {
		case html.TextNode:
			o.at = at
			o.add(c.Data)
		case html.ElementNode:
			if !o.page.hidden[c] {
				o.element(c, at, likes)
			}
		}
	}
}

// likeness counts the children of an element by tag and class; nil when there
// are few.
func likeness(n *html.Node) map[string]int {
	var counts map[string]int
	some := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			some++
		}
	}
	if some < 2 {
		return nil
	}
	counts = make(map[string]int, 4)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			counts[likeKey(c)]++
		}
	}
	return counts
}

func likeKey(n *html.Node) string {
	class, _, _ := strings.Cut(strings.TrimSpace(attr(n, "class")), " ")
	return n.Data + "." + class
}

func (o *outliner) element(c *html.Node, at int, likes map[string]int) {
	switch c.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Canvas, atom.Video, atom.Audio, atom.Head, atom.Title,
		atom.Select, atom.Datalist, atom.Textarea, atom.Rp, atom.Map, atom.Noembed, atom.Noframes:
		return
	case atom.Svg, atom.Input:
		return
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
	e := element{node: c, parent: at, depth: o.elems[at].depth + 1, first: len(o.blocks), like: 1}
	if likes != nil {
		e.like = likes[likeKey(c)]
	}
	e.own, e.name = traitsOf(c), nameOf(c)
	e.traits = o.elems[at].traits | e.own
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

// inline walks an element that lies within a line.
func (o *outliner) inline(c *html.Node, at int) {
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
	}
	o.children(c, at)
	o.href, o.style = href, set
}

// add adds text to the block that is open.
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

// write adds text to the run that is open, or opens one.
func (o *outliner) write(text string) {
	from := o.text.Len()
	o.text.WriteString(text)
	if n := len(o.runs); n > 0 && o.runs[n-1].href == o.href && o.runs[n-1].style == o.style && o.runs[n-1].image == "" {
		o.runs[n-1].to = o.text.Len()
		return
	}
	o.runs = append(o.runs, run{href: o.href, style: o.style, from: from, to: o.text.Len()})
}

// collapse makes runs of blanks one, across the pieces of a line.
func (o *outliner) collapse(text string) string {
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
	for _, r := range text {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == 0xa0 {
			if !o.blank {
				b.WriteByte(' ')
			}
			o.blank = true
			continue
		}
		o.blank = false
		b.WriteRune(r)
	}
	return b.String()
}

// isApart reports whether an element within a line is often shown apart from
// what is beside it.
func isApart(n *html.Node) bool {
	switch n.DataAtom {
	case atom.A, atom.Span, atom.Label, atom.Time, atom.Abbr, atom.Small:
		return true
	}
	return n.Type == html.ElementNode && n.DataAtom == 0
}

// separate puts a blank before a word that would be written together with the
// word in the element before it: style sheets put such elements apart.
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

// isWord reports whether a byte is a letter or a digit of ASCII.
func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

func (o *outliner) breakLine() {
	if o.text.Len() == 0 {
		return
	}
	o.text.WriteByte('\n')
	o.runs = append(o.runs, run{style: lineBreak, from: o.text.Len() - 1, to: o.text.Len()})
	o.blank = true
}

// ruby puts a reading into brackets behind what it reads.
func (o *outliner) ruby(c *html.Node) {
	if reading := o.page.tidy(allText(c)); reading != "" {
		o.blank = false
		o.write("（" + reading + "）")
	}
}

func (o *outliner) image(c *html.Node, at int) {
	if src := attr(c, "src"); src != "" {
		o.at, o.blank = at, false
		o.runs = append(o.runs, run{text: o.page.tidy(attr(c, "alt")), image: src, href: o.href})
	}
}

// end closes the block that is open.
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
		o.runs = nil
	}
	o.text.Reset()
	o.links, o.blank = 0, true
}

// isProse reports whether a block reads like sentences.
func isProse(b *block) bool {
	return b.words >= 12 && b.link/b.words < 0.35 && (endsSentence(b.text) || b.words >= 40 || strings.ContainsAny(b.text, ".。!?！？"))
}

func endsSentence(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"'”’）)」』»] \n"))
	return strings.ContainsRune(".!?。！？…:：", r)
}

// countWords counts words; two characters of a script without blanks are one.
func countWords(text string) float64 {
	n, inWord := 0.0, false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			isWord := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
			if isWord && !inWord {
				n++
			}
			inWord = isWord || inWord && c == '\''
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case isIdeographic(r):
			n += 0.5
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inWord {
				n++
			}
			inWord = true
		default:
			inWord = inWord && unicode.IsMark(r)
		}
	}
	return n
}

// isContent reports whether a noscript holds a text, and no mere notice.
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

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frameset,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li, atom.Main,
		atom.Menu, atom.Nav, atom.Noscript, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// logOf squeezes a count.
func logOf(n float64) float32 { return float32(math.Log1p(n)) }
