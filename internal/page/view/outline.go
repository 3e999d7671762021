package view

import (
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
	"techo/internal/page/traits"
)

// Block is a run of text between two line breaks of a browser's layout.
type Block struct {
	Elem  int    // index of the enclosing element
	Text  string // with collapsed white space, except in pre
	Runs  []Run  // the parts of the text, for rendering
	Words float64
	Link  float64 // number of words in links
	Tag   atom.Atom
}

// Run is a part of a block: text, an image or a line break.
type Run struct {
	Text  string
	Href  string // target of the enclosing link
	Image string // source of an image; its alternative text is the text

	from, to int32 // range in the text of the block
	Style    Style
	Raw      bool // the text is Markdown
}

// IsPost reports whether an element is one of several posts of a thread.
func (e *Element) IsPost() bool {
	if e.Like < 2 {
		return false
	}
	class := dom.Attr(e.Node, "class")
	return e.Own&(traits.NamedPost|traits.NamedComment|traits.IsEntry) != 0 || dom.HasWord(class, "post") ||
		dom.HasWord(class, "postcontainer") || dom.HasWord(class, "comtr")
}

// picture is a group of images without text.
type picture struct {
	Elem  int
	Block int // the next block
	Runs  []Run
}

// Alternatives returns the alternative texts of the pictures that stand in cells without text beside
// them, such as ticks, by the elements of the cells.
func (o *Outline) Alternatives() map[int][]string {
	const reach = 8 // elements between a picture and its cell
	texts := map[int][]string{}
	for _, p := range o.Pictures {
		at := p.Elem
		for up := 0; up < reach && at > 0 && o.Elems[at].Node.DataAtom != atom.Td && o.Elems[at].Node.DataAtom != atom.Th; up++ {
			at = o.Elems[at].Parent
		}
		for _, r := range p.Runs {
			if r.Image != "" && r.Text != "" {
				texts[at] = append(texts[at], r.Text)
			}
		}
	}
	return texts
}

// Style is the formatting of a run.
type Style uint8

const (
	Bold Style = 1 << iota
	Italic
	Code
	Deleted
	Raised
	Lowered
	LineBreak
)

// Element is an element that contains blocks, with statistics of its contents.
type Element struct {
	Node        *html.Node
	Parent      int // index, -1 for the root
	Depth       int
	Traits      traits.Set // its own and those inherited
	Own         traits.Set
	InSmallForm bool // inside a form that does not span the page
	InPost      bool // the element or one around it is a post of a thread
	InComment   bool // inside a comment that no nearer post contains

	First, Last int // blocks first to last-1
	Words, Link float64
	Prose       float64 // words in blocks that read like sentences
	Like        int     // siblings with the same tag and class
	Name        uint64
}

// Outline is what a page shows: its elements and their text, split into blocks.
type Outline struct {
	Page     *Page
	Elems    []Element
	Blocks   []Block
	Pictures []picture // those without text beside them
}

// outliner splits a page into blocks.
type outliner struct {
	Outline
	siblings []template // a stack for templatesIn

	at      int // index of the current element
	text    strings.Builder
	runs    []Run
	links   float64
	href    string
	style   Style
	preform int
	blank   bool // the current text is empty or ends with a blank
	broken  bool // a line of the source ended; the next character decides whether that is a blank
	raw     bool // what is written is Markdown
	joint   bool // one element ended and the next begins without white space between them
}

// Outline splits a page into blocks.
func (p *Page) Outline() *Outline {
	o := &outliner{Outline: Outline{Page: p}, blank: true}
	o.Elems = append(o.Elems, Element{Node: p.body, Parent: -1})
	o.children(p.body, 0)
	o.end()
	o.Elems[0].Last = len(o.Blocks)
	for i := len(o.Elems) - 1; i > 0; i-- { // children have larger indexes than their parents
		e, up := &o.Elems[i], &o.Elems[o.Elems[i].Parent]
		up.Words, up.Link, up.Prose = up.Words+e.Words, up.Link+e.Link, up.Prose+e.Prose
	}
	return &o.Outline
}

// children visits the children of a node inside element at.
func (o *outliner) children(n *html.Node, at int) {
	from := len(o.siblings)
	siblings := o.templatesIn(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		o.Page.Work += 2 // one step for the templates
		switch c.Type {
		case html.TextNode:
			if !o.Page.silent[n] {
				o.at = at
				o.add(c.Data)
			}
		case html.ElementNode:
			if !o.Page.hidden[c] {
				o.element(c, at, siblings)
			}
		}
	}
	o.siblings = o.siblings[:from]
}

func (o *outliner) element(c *html.Node, at int, siblings templates) {
	if isFormula(c) {
		o.at = at
		if o.formula(c) {
			return
		}
	}
	if code := highlighted(c); code != nil {
		c = code
	}
	if c.DataAtom == 0 {
		if id := filmOf(c); id != "" {
			o.showFilm(c, at, id)
			return
		}
	}
	switch c.DataAtom {
	case atom.Iframe, atom.Video:
		o.film(c, at)
		return
	case atom.Input:
		o.box(c, at)
		return
	case atom.Script, atom.Style, atom.Template, atom.Object, atom.Canvas, atom.Audio,
		atom.Head, atom.Title,
		atom.Select, atom.Datalist, atom.Textarea, atom.Rp, atom.Map, atom.Noembed, atom.Noframes, atom.Svg, atom.Wbr:
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
	case atom.Img:
		o.image(c, at)
		return
	case atom.Rt:
		o.ruby(c)
		return
	}
	if !dom.IsBlock(c.DataAtom) {
		o.inline(c, at)
		return
	}
	o.end()
	e := Element{Node: c, Parent: at, Depth: o.Elems[at].Depth + 1, First: len(o.Blocks)}
	e.Like = siblings.count(c)
	e.Own, e.Name = o.Page.names.Of(c), nameOf(c)
	e.Traits = o.Elems[at].Traits | e.Own
	e.InPost = o.Elems[at].InPost || e.IsPost()
	o.Elems = append(o.Elems, e)
	me := len(o.Elems) - 1
	if c.DataAtom == atom.Pre {
		o.preform++
	}
	o.children(c, me)
	o.end()
	if c.DataAtom == atom.Pre {
		o.preform--
	}
	o.Elems[me].Last = len(o.Blocks)
}

// box writes the box of a task in a list.
func (o *outliner) box(c *html.Node, at int) {
	if dom.Attr(c, "type") != "checkbox" || o.text.Len() > 0 {
		return
	}
	item := c.Parent
	for up := 0; up < 3 && item != nil && item.DataAtom != atom.Li; up++ {
		item = item.Parent
	}
	_, still := attribute(c, "disabled")
	if item == nil || item.DataAtom != atom.Li || !still && !isTask(item) && isField(c) {
		return
	}
	mark := "[ ] "
	if _, done := attribute(c, "checked"); done {
		mark = "[x] "
	}
	o.at, o.raw = at, true
	o.write(mark)
	o.raw, o.blank = false, true
}

// isField reports whether an input is one of a form, or has a name for a script.
func isField(c *html.Node) bool {
	if dom.Attr(c, "name")+dom.Attr(c, "id")+dom.Attr(c, "value") != "" {
		return true
	}
	const reach = 40 // levels
	for n, up := c.Parent, 0; n != nil && up < reach; n, up = n.Parent, up+1 {
		if n.DataAtom == atom.Form || n.DataAtom == atom.Nav || n.DataAtom == atom.Aside {
			return true
		}
	}
	return false
}

// isTask reports whether an item or a list around it is one of tasks.
func isTask(item *html.Node) bool {
	for n := item; n != nil && (n.DataAtom == atom.Li || n.DataAtom == atom.Ul || n.DataAtom == atom.Ol); n = n.Parent {
		if dom.HasPart(dom.Attr(n, "class"), "task") {
			return true
		}
	}
	return false
}

// film notes an embedded film, which is a link where pictures stand.
func (o *outliner) film(c *html.Node, at int) {
	address := dom.Attr(c, "src")
	if address == "" {
		address = dom.Attr(c, "data-src")
	}
	if c.DataAtom == atom.Video && address == "" {
		if source := dom.First(c, func(n *html.Node) bool { return n.DataAtom == atom.Source }); source != nil {
			address = dom.Attr(source, "src")
		}
	}
	if c.DataAtom == atom.Iframe {
		address = filmAt(address)
	}
	if address != "" {
		o.showFilm(c, at, address)
	}
}

// filmOf returns the page of a film that an element of the page's own shows until its script
// loads a player, or "".
func filmOf(c *html.Node) string {
	id := dom.Attr(c, "videoid")
	if id == "" {
		id = dom.Attr(c, "data-videoid")
	}
	switch {
	case id == "":
	case strings.Contains(c.Data, "youtube"):
		return "https://www.youtube.com/watch?v=" + url.QueryEscape(id)
	case strings.Contains(c.Data, "vimeo"):
		return "https://vimeo.com/" + url.PathEscape(id)
	}
	return ""
}

// showFilm notes a film by the name that its element has.
func (o *outliner) showFilm(c *html.Node, at int, address string) {
	title := "Video"
	for _, key := range [...]string{"title", "aria-label", "playlabel", "videotitle"} {
		if name := o.Page.Tidy(dom.Attr(c, key)); name != "" {
			title = name
			break
		}
	}
	o.Pictures = append(o.Pictures, picture{Elem: at, Block: len(o.Blocks), Runs: []Run{{Text: title, Href: address}}})
}

// filmAt returns the page of a film that a frame shows, or "" for other frames.
func filmAt(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	host, id := strings.TrimPrefix(u.Hostname(), "www."), path.Base(u.Path)
	switch host {
	case "youtube.com", "youtube-nocookie.com", "m.youtube.com":
		if strings.HasPrefix(u.Path, "/embed/") && id != "videoseries" {
			return "https://www.youtube.com/watch?v=" + id
		}
		return address
	case "player.vimeo.com":
		return "https://vimeo.com/" + id
	case "dailymotion.com", "geo.dailymotion.com", "player.twitch.tv", "embed.ted.com", "fast.wistia.net",
		"embed.nicovideo.jp", "player.bilibili.com", "play.tver.jp", "loom.com", "players.brightcove.net", "rumble.com",
		"streamable.com":
		return address
	}
	return ""
}

// highlighted returns code that SyntaxHighlighter has made a table of, as preformatted text, or
// nil.
func highlighted(c *html.Node) *html.Node {
	class := dom.Attr(c, "class")
	if c.DataAtom != atom.Div || !dom.HasWord(class, "syntaxhighlighter") {
		return nil
	}
	code := dom.First(c, func(n *html.Node) bool {
		return n != c && dom.HasWord(dom.Attr(n, "class"), "container")
	})
	if code == nil {
		return nil
	}
	var lines []string
	for n := code.FirstChild; n != nil; n = n.NextSibling {
		if dom.HasWord(dom.Attr(n, "class"), "line") {
			lines = append(lines, strings.ReplaceAll(strings.TrimRight(dom.Text(n), "\n "), "\u00a0", " "))
		}
	}
	if lines == nil {
		return nil
	}
	brush := ""
	for name := range strings.FieldsSeq(class) {
		if !strings.HasPrefix(name, "syntaxhighlighter") && name != "nogutter" && name != "collapsed" {
			brush = name
		}
	}
	pre := &html.Node{Type: html.ElementNode, DataAtom: atom.Pre, Data: "pre", Parent: c.Parent,
		Attr: []html.Attribute{{Key: "class", Val: "language-" + brush}}}
	pre.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Join(lines, "\n")})
	return pre
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
		if h := dom.Attr(c, "href"); h != "" {
			o.href = h
		}
		if dom.Attr(c, "role") == "doc-noteref" || dom.HasWord(dom.Attr(c, "class"), "footnote-reference") {
			o.style |= Raised // style sheets raise it
		}
	case atom.B, atom.Strong:
		o.style |= Bold
	case atom.I, atom.Em, atom.Cite, atom.Dfn:
		o.style |= Italic
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		o.style |= Code
	case atom.Del, atom.S, atom.Strike:
		o.style |= Deleted
	case atom.Sup:
		o.style |= Raised
	case atom.Sub:
		o.style |= Lowered
	}
	o.children(c, at)
	o.href, o.style = href, set
}

// add appends text to the current block.
func (o *outliner) add(text string) {
	text = o.Page.Clean(text)
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
		o.links += runes.CountWords(text)
	}
}

// write appends text to the current run, starting one if needed.
func (o *outliner) write(text string) {
	from := int32(o.text.Len())
	o.text.WriteString(text)
	if n := len(o.runs); n > 0 && o.runs[n-1].Href == o.href && o.runs[n-1].Style == o.style &&
		o.runs[n-1].Image == "" && !o.raw && !o.runs[n-1].Raw {
		o.runs[n-1].to = int32(o.text.Len())
		return
	}
	o.runs = append(o.runs, Run{Href: o.href, Style: o.style, Raw: o.raw, from: from, to: int32(o.text.Len())})
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
		if runes.IsBlankRune(r) {
			if o.blank {
				continue
			}
			o.blank = true
			broken, next := false, rune(0)
			if runes.Unspaced(last) { // reads all blanks, thus once for several
				broken, next = runes.BreaksLine(text[i:])
			}
			switch {
			case broken && next == 0:
				o.broken = true
			case !broken || !runes.Unspaced(next):
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
	if o.preform > 0 || o.style&Code != 0 || len(before) < 2 || len(text) < 2 {
		return text
	}
	if !runes.IsWord(before[len(before)-1]) || !runes.IsWord(before[len(before)-2]) || !runes.IsWord(text[0]) ||
		!runes.IsWord(text[1]) {
		return text
	}
	return " " + text
}

func (o *outliner) breakLine() {
	if o.text.Len() == 0 {
		return
	}
	o.text.WriteByte('\n')
	o.runs = append(o.runs, Run{Style: LineBreak, from: int32(o.text.Len() - 1), to: int32(o.text.Len())})
	o.blank, o.broken = true, false
}

// ruby writes a reading in parentheses after its base text.
func (o *outliner) ruby(c *html.Node) {
	if reading := o.Page.Tidy(dom.Text(c)); reading != "" {
		o.blank = false
		o.write("（" + reading + "）")
	}
}

func (o *outliner) image(c *html.Node, at int) {
	if src := imageSource(c); src != "" {
		o.at, o.blank, o.broken = at, false, false
		o.runs = append(o.runs, Run{Text: o.Page.Tidy(dom.Attr(c, "alt")), Image: src, Href: o.href})
	}
}

// end closes the current block.
func (o *outliner) end() {
	text := o.text.String()
	trimmed := strings.TrimSpace(text)
	if trimmed != "" {
		for i := range o.runs {
			if r := &o.runs[i]; r.Image == "" {
				r.Text = text[r.from:r.to]
			}
		}
		if o.preform == 0 {
			text = trimmed
		} else {
			text = strings.TrimRight(text, " \n\t\r")
		}
		b := Block{Elem: o.at, Text: text, Runs: o.runs, Words: runes.CountWords(text), Link: o.links}
		b.Link = min(b.Link, b.Words)
		b.Tag = o.Elems[o.at].Node.DataAtom
		e := &o.Elems[o.at]
		e.Words += b.Words
		e.Link += b.Link
		if b.IsProse() {
			e.Prose += b.Words
		}
		o.Blocks = append(o.Blocks, b)
		o.runs = nil
	} else if len(o.runs) > 0 {
		var images []Run
		for _, r := range o.runs {
			if r.Image != "" {
				images = append(images, r)
			}
		}
		if o.runs = nil; images != nil {
			o.Pictures = append(o.Pictures, picture{Elem: o.at, Block: len(o.Blocks), Runs: images})
		}
	}
	o.text.Reset()
	o.links, o.blank, o.broken = 0, true, false
}

// IsProse reports whether a block reads like sentences.
func (b *Block) IsProse() bool {
	return b.Words >= 12 && b.Link/b.Words < 0.35 &&
		(b.Words >= 40 || runes.EndsSentence(b.Text) || runes.HasStop(b.Text))
}
