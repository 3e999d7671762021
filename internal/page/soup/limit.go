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

	styles  []string // the page's own style sheets
	foreign bool     // the page has external style sheets

	lean []byte // the source within the limits, without scripts, style sheets and drawings
}

// excessive reports whether an HTML5 parser would create too many elements. It
// reopens an unclosed <font> in every following paragraph, so 12 KB of them become
// a tree of 120 MB.
func (m *measurement) excessive() bool { return m.copies > maxElements }

// measure scans the tokens of a page.
func measure(source string) *measurement {
	m := &meter{open: formatting{frames: []frame{{}}}}
	m.lean = make([]byte, 0, len(source))
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		kind := z.Next()
		raw := source[m.end : m.end+len(z.Raw())]
		switch kind {
		case html.ErrorToken:
			m.end = len(source)
			return &m.measurement
		case html.TextToken:
			m.text(raw)
		case html.CommentToken, html.DoctypeToken:
			m.elements++
			m.lean = append(m.lean, raw...)
		case html.EndTagToken:
			name, _ := z.TagName()
			m.close(atom.Lookup(name))
			m.lean = append(m.lean, raw...)
		default:
			m.start(z, raw, kind == html.SelfClosingTagToken)
		}
		if m.elements > maxElements || m.attributes > maxAttributes {
			m.cut = true
			return &m.measurement
		}
		m.end += len(raw)
	}
}

// meter is the state of a measurement.
type meter struct {
	measurement
	open                    formatting
	style, script, noscript bool // within these elements

	drawn   bool // an svg or math occurred: inside of these, raw text is markup
	drawing int  // open svg and math elements
	shapes  int  // the length of lean at the tag of the open svg if it has only shapes so far, else 0
}

func (m *meter) text(raw string) {
	m.copies += m.open.total
	if m.drawn {
		m.elements += countTags(raw)
	}
	if m.style && !m.noscript {
		m.styles = append(m.styles, raw)
	}
	if strings.Contains(raw, "<") {
		m.shapes = 0
	}
	if m.drawing > 0 || !m.style && (!m.script || assignsData(raw)) {
		m.lean = append(m.lean, raw...)
	}
	m.style, m.script = false, false
}

func (m *meter) close(a atom.Atom) {
	m.style, m.script, m.noscript = false, false, m.noscript && a != atom.Noscript
	m.note(a)
	if a == atom.Svg || a == atom.Math {
		if m.shapes > 0 && a == atom.Svg && !bytes.Contains(m.lean[m.shapes:], []byte("data-latex")) {
			m.lean = m.lean[:m.shapes]
		}
		m.drawing, m.shapes = max(m.drawing-1, 0), 0
	}
	m.open.end(a)
}

func (m *meter) start(z *html.Tokenizer, raw string, closed bool) {
	name, more := z.TagName()
	a := atom.Lookup(name)
	m.note(a)
	m.lean = append(m.lean, raw...)
	if a == atom.Svg || a == atom.Math {
		if m.drawn = true; !closed {
			m.drawing++
			if m.shapes = 0; m.drawing == 1 && a == atom.Svg {
				m.shapes = len(m.lean)
			}
		}
	}
	m.script = a == atom.Script && !hasData(raw)
	m.style, m.noscript = a == atom.Style, m.noscript || a == atom.Noscript
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		m.attributes++
		switch {
		case a == atom.Link && string(key) == "rel":
			m.foreign = m.foreign || bytes.Contains(value, []byte("stylesheet"))
		case a == atom.Style && string(key) == "media":
			m.style = css.AppliesMedia(string(value))
		}
	}
	m.elements++
	m.copies += m.open.total
	m.open.start(a, raw)
}

// note notes whether a tag is one of an svg's shapes, whose names are unknown to HTML. The parser
// may move others out of the svg.
func (m *meter) note(a atom.Atom) {
	if a != 0 && a != atom.Title && a != atom.Desc && a != atom.Svg {
		m.shapes = 0
	}
}

// hasData reports whether the tag of a script is one of data or of a formula.
func hasData(tag string) bool { return strings.Contains(tag, "json") || strings.Contains(tag, "math/") }

// assignsData reports whether a script seems to begin with data for other scripts.
func assignsData(script string) bool {
	script = strings.TrimLeft(script[:min(len(script), maxIndent)], " \t\r\n")
	for _, begin := range []string{"window.__", "self.__", "globalThis.__", "var __", "const __", "__", "{__sveltekit_"} {
		if strings.HasPrefix(script, begin) {
			return true
		}
	}
	return false
}

// maxIndent is the number of bytes of a script in which data for others begins.
const maxIndent = 100

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
