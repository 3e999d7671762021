package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
}

// excessive reports whether an HTML5 parser would create too many elements. It
// reopens an unclosed <font> in every following paragraph, so 12 KB of them become
// a tree of 120 MB.
func (m *measurement) excessive() bool { return m.copies > maxElements }

// measure scans the tokens of a page.
func measure(source string) measurement {
	m := measurement{}
	f := formatting{frames: []frame{{}}}
	s := scanner{source: source}
	foreign := false // inside svg and math, raw text is markup
	style, noscript := false, false
	for {
		t := s.next()
		raw := source[t.from:t.to]
		switch t.kind {
		case html.ErrorToken:
			m.end = len(source)
			return m
		case html.TextToken:
			m.copies += f.total
			if foreign {
				m.elements += countTags(raw)
			}
			if style && !noscript {
				m.styles = append(m.styles, raw)
			}
		case html.CommentToken:
			m.elements++
		case html.EndTagToken:
			noscript = noscript && t.name != atom.Noscript
			f.end(t.name)
		case html.StartTagToken:
			foreign = foreign || t.name == atom.Svg || t.name == atom.Math
			style, noscript = t.name == atom.Style, noscript || t.name == atom.Noscript
			m.attributes += t.attributes
			style = m.sheet(raw, t.name) && style
			m.elements++
			m.copies += f.total
			f.start(t.name, raw)
		}
		if m.elements > maxElements || m.attributes > maxAttributes {
			m.cut = true
			return m
		}
		m.end = t.to
	}
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
			media = media && (string(key) != "media" || appliesMedia(string(value)))
		}
	}
	return media
}

// countTags counts possible tags in a text.
func countTags(text string) (n int) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '<' && isLetter(text[i+1]) {
			n++
		}
	}
	return n
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
