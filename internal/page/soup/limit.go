package soup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/css"
	"techo/internal/page/runes"
)

// Limits of the tree of one page. A node takes about 600 bytes including all
// derived data.
const (
	maxElements   = 250_000
	maxAttributes = 400_000
	maxUnclosed   = 512 // open formatting elements
	maxKey        = 200 // bytes of a tag that is compared with others
)

// Weight estimates the memory, in bytes, that Parse and its results need for a
// page. It scans the page once.
func Weight(source string) int64 {
	m := measure(source)
	nodes := m.elements
	if !m.excessive() { // without copies of formatting elements
		nodes += max(0, m.copies-2*m.elements)
	}
	return int64(len(source))*4 + int64(nodes)*600 + int64(m.attributes)*100
}

// measurement is the size of the tree that a page would have.
type measurement struct {
	elements   int
	attributes int
	copies     int  // elements that the parser creates to reopen formatting
	end        int  // bytes of the source within the limits
	cut        bool // the source exceeds the limits

	styles  []string  // the page's own style sheets
	foreign bool      // the page has external style sheets
	idle    []stretch // what the parser does not need
}

// stretch is a range of the source that the parser does not need.
type stretch struct {
	from, to int
	use      use
}

// use is what the tree needs of a stretch.
type use uint8

const (
	noUse         use = iota // of scripts and style sheets
	forAttributes            // of a tag
	forData                  // of a script
)

// lean returns the source up to the limits without what the tree does not need. That
// is half of a usual page, and the parser reads it slowly.
func (m *measurement) lean(source string) string {
	size := m.end
	for _, s := range m.idle {
		if s.use == noUse && s.to <= m.end {
			size -= s.to - s.from
		}
	}
	if size == m.end {
		return source[:m.end]
	}
	var b strings.Builder
	b.Grow(size)
	from := 0
	for _, s := range m.idle {
		if s.use == noUse && s.to <= m.end {
			b.WriteString(source[from:s.from])
			from = s.to
		}
	}
	b.WriteString(source[from:m.end])
	return b.String()
}

// excessive reports whether an HTML5 parser would create too many elements. It
// reopens an unclosed <font> in every following paragraph, so 12 KB of them become
// a tree of 120 MB.
func (m *measurement) excessive() bool { return m.copies > maxElements }

// measure scans the tokens of a page.
func measure(source string) measurement {
	m := meter{source: source, open: formatting{frames: []frame{{}}}, unmarked: strings.Contains(source, mark)}
	s := scanner{source: source}
	for {
		t := s.next()
		raw := source[t.from:t.to]
		switch t.kind {
		case html.ErrorToken:
			m.end = len(source)
			return m.measurement
		case html.TextToken:
			m.text(t)
		case html.CommentToken:
			m.elements++
			m.unmarked = m.unmarked || m.foreign && strings.HasPrefix(raw, "<![CDATA[")
		case html.EndTagToken:
			m.noscript = m.noscript && t.name != atom.Noscript
			m.style, m.idles, m.data = false, false, false
			if m.within(t.name); t.name == atom.Svg || t.name == atom.Math {
				m.closeForeign(t)
			}
			m.open.end(t.name)
		case html.StartTagToken:
			if m.within(t.name); t.name == atom.Svg || t.name == atom.Math {
				m.openForeign(t)
			}
			m.style, m.noscript = t.name == atom.Style, m.noscript || t.name == atom.Noscript
			m.idles = m.style || t.name == atom.Script && !hasData(raw)
			m.attributes += t.attributes
			m.mark(&t)
			m.style = m.sheet(raw, t.name) && m.style
			m.elements++
			m.copies += m.open.total
			m.open.start(t.name, raw)
		}
		if m.elements > maxElements || m.attributes > maxAttributes {
			m.cut = true
			return m.measurement
		}
		m.end = t.to
	}
}

// meter is the state of a measurement.
type meter struct {
	measurement
	open            formatting
	source          string
	style, noscript bool // within these elements
	idles           bool // within an element whose text the tree does not need
	data            bool // within a marked script with data
	unmarked        bool // the parser may find other tags than the scanner
	foreign         bool // an svg or math occurred: inside of these, raw text is markup
	depth           int  // open svg and math elements
	drawing         int  // the end of the tag of the open svg if it has only shapes so far, otherwise 0
}

func (m *meter) text(t token) {
	raw := m.source[t.from:t.to]
	m.copies += m.open.total
	if m.foreign {
		m.elements += countTags(raw)
	}
	if m.style && !m.noscript {
		m.styles = append(m.styles, raw)
	}
	m.unmarked = m.unmarked || m.noscript && !isClosed(raw)
	switch {
	case m.idles && m.depth == 0 && !m.style && assignsData(raw):
	case m.idles && m.depth == 0:
		m.idle = append(m.idle, stretch{t.from, t.to, noUse})
	case m.data && !strings.ContainsAny(raw, unusual):
		m.idle = append(m.idle, stretch{t.from, t.to, forData})
	case m.drawing > 0 && strings.Contains(raw, "<"):
		m.drawing = 0
	}
	m.style, m.idles, m.data = false, false, false
}

// assignsData reports whether a script seems to begin with data for other scripts.
func assignsData(script string) bool {
	script = strings.TrimLeft(script[:min(len(script), maxIndent)], " \t\r\n")
	for _, begin := range []string{"window.__", "self.__", "globalThis.__", "var __", "const __", "__"} {
		if strings.HasPrefix(script, begin) {
			return true
		}
	}
	return false
}

// maxIndent is the number of bytes of a script in which data for others begins.
const maxIndent = 100

// mark notes that a start tag can have a mark for its attributes.
func (m *meter) mark(t *token) {
	if m.data = false; m.depth > 0 || m.unmarked || !isMarked(t) {
		return
	}
	m.data = t.name == atom.Script && !m.idles
	m.idle = append(m.idle, stretch{t.named, t.to - 1, forAttributes})
}

// within notes that a tag is not one of an svg's shapes, whose names are unknown to
// HTML. The parser may move it out of the svg.
func (m *meter) within(name atom.Atom) {
	if name != 0 && name != atom.Title && name != atom.Desc && name != atom.Svg {
		m.drawing = 0
	}
}

func (m *meter) openForeign(t token) {
	if strings.HasSuffix(m.source[:t.to], "/>") {
		m.foreign = true
		return
	}
	m.foreign, m.drawing = true, 0
	if m.depth++; m.depth == 1 && t.name == atom.Svg {
		m.drawing = t.to
	}
}

func (m *meter) closeForeign(t token) {
	if m.drawing > 0 && t.name == atom.Svg && !strings.Contains(m.source[m.drawing:t.from], "data-latex") {
		m.idle = append(m.idle, stretch{m.drawing, t.from, noUse})
	}
	m.depth, m.drawing = max(m.depth-1, 0), 0
}

// sheet evaluates the attributes of a style sheet. It reports whether the sheet
// applies to screens.
func (m *measurement) sheet(raw string, a atom.Atom) (media bool) {
	media = true
	if (a != atom.Link || m.foreign || !strings.Contains(raw, "stylesheet")) &&
		(a != atom.Style || len(raw) == len("<style>")) {
		return media
	}
	z := html.NewTokenizer(strings.NewReader(raw))
	z.Next()
	z.TagName()
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch a {
		case atom.Link:
			m.foreign = m.foreign || string(key) == "rel" && bytes.Contains(value, []byte("stylesheet"))
		case atom.Style:
			media = media && (string(key) != "media" || css.AppliesMedia(string(value)))
		}
	}
	return media
}

func countTags(text string) (n int) {
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 || at+1 == len(text) {
			return n
		}
		if text = text[at+1:]; runes.IsLetter(text[0]) {
			n++
		}
	}
}

// formatting is an upper bound of the parser's list of active formatting elements.
// It keeps an element unless the parser certainly drops it.
type formatting struct {
	frames []frame
	tables int // open tables
	total  int // elements in all frames
}

// frame is the part of the list within a table cell or another element with a list
// of its own.
type frame struct {
	table int // depth of the table of a cell, 0 for other elements
	open  []unclosed
}

type unclosed struct {
	name atom.Atom
	key  string // the tag as written; the parser keeps at most three equal ones
}

func (f *formatting) top() *frame { return &f.frames[len(f.frames)-1] }

// start handles a start tag.
func (f *formatting) start(a atom.Atom, key string) {
	switch a {
	case atom.Table:
		if f.tables == 0 || f.top().table == f.tables {
			f.tables++
		}
	case atom.Tr:
		f.leave()
	case atom.Td, atom.Th, atom.Caption:
		if f.leave(); f.tables > 0 {
			f.frames = append(f.frames, frame{table: f.tables})
		}
	case atom.Object, atom.Applet, atom.Marquee, atom.Template:
		f.frames = append(f.frames, frame{})
	case atom.A:
		f.close(a) // a new link closes the previous one
		f.add(a, key)
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike,
		atom.Strong, atom.Tt, atom.U:
		f.add(a, key)
	}
}

// end handles an end tag.
func (f *formatting) end(a atom.Atom) {
	switch a {
	case atom.Table:
		if f.leave(); f.tables > 0 {
			f.tables--
		}
	case atom.Tr, atom.Td, atom.Th, atom.Caption:
		f.leave()
	case atom.Object, atom.Applet, atom.Marquee, atom.Template:
		if top := f.top(); len(f.frames) > 1 && top.table == 0 {
			f.frames = f.frames[:len(f.frames)-1]
			f.top().open = append(f.top().open, top.open...)
		}
	default:
		f.close(a)
	}
}

// leave closes the open cell of the innermost table.
func (f *formatting) leave() {
	if top := f.top(); top.table > 0 && top.table == f.tables {
		f.total -= len(top.open)
		f.frames = f.frames[:len(f.frames)-1]
	}
}

// add opens a formatting element. More than maxUnclosed are ignored, like elements
// beyond the depth limit of the parser.
func (f *formatting) add(a atom.Atom, key string) {
	alike := 0
	for _, u := range f.top().open {
		if len(key) <= maxKey && u.name == a && u.key == key {
			alike++
		}
	}
	if alike < 3 && f.total < maxUnclosed {
		f.top().open = append(f.top().open, unclosed{a, key})
		f.total++
	}
}

// close closes the last open element with a name.
func (f *formatting) close(a atom.Atom) {
	open := f.top().open
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].name == a {
			f.top().open = append(open[:i], open[i+1:]...)
			f.total--
			return
		}
	}
}
