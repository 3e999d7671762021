package soup

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/runes"
)

// mark is the name of an attribute that stands for all attributes of an element: its value
// is their position in the source. The HTML parser copies each attribute several times and
// keeps a map of their names for each tag, which is half of its work. So it gets tags
// with marks, and the attributes are read from the source when the tree is complete.
const mark = "\x7f"

// hasData reports whether the tag of a script is one of data or of a formula.
func hasData(tag string) bool {
	return strings.Contains(tag, jsonType) || strings.Contains(tag, "math/")
}

// jsonType is a part of the tag of a script with data.
const jsonType = "json"

// unusual are characters that the parser replaces.
const unusual = "\r\x00"

const (
	maxMarked  = 32   // attributes of a marked tag
	maxLinkTag = 2000 // bytes of the attributes of a marked link, which the parser may copy
	markedBase = 36   // of the numbers in marks
)

// isMarked reports whether the parser needs no attribute of a tag. It compares formatting
// elements by their attributes, joins all html and body tags, and looks for the type of inputs.
func isMarked(t *token) bool {
	switch t.name {
	case atom.Html, atom.Body, atom.Input, atom.Font, atom.B, atom.Big, atom.Code, atom.Em, atom.I, atom.Nobr, atom.S,
		atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U, atom.Svg, atom.Math:
		return false
	}
	return t.attributes > 0 && t.attributes <= maxMarked && (t.name != atom.A || t.to-t.named < maxLinkTag)
}

// isClosed reports whether the contents of a noscript end before its end tag also if
// they are markup, so that the parser finds the same tags after it.
func isClosed(text string) bool {
	s := scanner{source: text}
	for raw := false; ; {
		switch t := s.next(); {
		case t.kind == html.ErrorToken:
			return t.from == len(text) && !raw
		case t.kind == html.CommentToken:
			if !strings.HasSuffix(text[t.from:t.to], "-->") {
				return false
			}
		case t.name == atom.Svg, t.name == atom.Math, t.name == atom.Template:
			return false
		case t.kind == html.StartTagToken:
			raw = s.raw != ""
		case t.kind == html.EndTagToken:
			raw = false
		}
	}
}

// marked returns the source like lean, with marks for attributes and without the data in
// scripts.
func (m *measurement) marked(source string) string {
	b := make([]byte, 0, m.end)
	from := 0
	for _, s := range m.idle {
		if s.to > m.end {
			continue
		}
		b = append(b, source[from:s.from]...)
		if from = s.to; s.use == forAttributes {
			b = append(b, ' ')
			b = append(b, mark...)
			b = append(b, '=')
			b = strconv.AppendInt(b, int64(s.from), markedBase)
		}
	}
	return string(append(b, source[from:m.end]...))
}

// restoreMarks replaces the marks in a tree by what they stand for.
func restoreMarks(root *html.Node, source string) {
	if !strings.Contains(source, mark) { // otherwise the marks are the page's own
		r := restorer{source: source}
		r.unusual = strings.IndexByte(source, '\r') >= 0 || strings.IndexByte(source, 0) >= 0
		r.restore(root)
	}
}

// restorer replaces marks.
type restorer struct {
	source  string
	unusual bool             // the source has unusual characters
	attrs   []html.Attribute // a part of the last array has unused room

	link      string // the last mark of a link; the parser makes many copies of it
	linkAttrs []html.Attribute
}

// restore replaces the marks in an element.
func (r *restorer) restore(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if len(c.Attr) == 1 && c.Attr[0].Key == mark {
			r.element(c)
		}
		if c.FirstChild != nil {
			r.restore(c)
		}
	}
}

// element replaces the mark of an element.
func (r *restorer) element(n *html.Node) {
	value := n.Attr[0].Val
	if n.DataAtom == atom.A && value == r.link {
		n.Attr = r.linkAttrs
		return
	}
	from, err := strconv.ParseInt(value, markedBase, 64)
	if err != nil {
		return
	}
	s := scanner{source: r.source, to: int(from), raw: "script"}
	s.to = r.read(n, s)
	if n.DataAtom == atom.A {
		r.link, r.linkAttrs = value, n.Attr
	}
	if n.DataAtom == atom.Script && n.FirstChild == nil && hasData(r.source[from:s.to]) {
		if text := r.source[s.to:s.rawEnd()]; text != "" {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		}
	}
}

// read reads the attributes of an element and returns the end of its tag.
func (r *restorer) read(n *html.Node, s scanner) int {
	if cap(r.attrs)-len(r.attrs) < maxMarked {
		r.attrs = make([]html.Attribute, 0, 8*maxMarked)
	}
	first := len(r.attrs)
	for at := s.skipSpace(s.to); ; at = s.skipSpace(at) {
		if at >= len(s.source) || s.source[at] == '>' {
			n.Attr = r.attrs[first:len(r.attrs):len(r.attrs)]
			return min(at+1, len(s.source))
		}
		a := s.attribute(at)
		if key := lowerName(s.source[at:a.named]); key != "" && !hasKey(r.attrs[first:], key) {
			value := s.source[a.from:a.to]
			if strings.IndexByte(value, '&') >= 0 || r.unusual && strings.ContainsAny(value, unusual) {
				value = unescapeValue(value, s.source[at:a.end])
			}
			r.attrs = append(r.attrs, html.Attribute{Key: key, Val: value})
		}
		at = a.end
	}
}

func hasKey(attrs []html.Attribute, key string) bool {
	for i := range attrs {
		if attrs[i].Key == key {
			return true
		}
	}
	return false
}

// lowerName returns the name of an attribute as the parser does.
func lowerName(name string) string {
	for i := range len(name) {
		if c := name[i]; c == 0 || c >= 'A' && c <= 'Z' {
			lower := []byte(name)
			for k, c := range lower {
				if c >= 'A' && c <= 'Z' {
					lower[k] |= 0x20
				}
			}
			return strings.ReplaceAll(string(lower), "\x00", "\ufffd")
		}
	}
	return name
}

// references are those in most attributes.
var references = [...]struct{ name, text string }{
	{"amp;", "&"}, {"quot;", `"`}, {"#39;", "'"}, {"#039;", "'"}, {"#x27;", "'"}, {"lt;", "<"}, {"gt;", ">"},
	{"#34;", `"`},
}

// unescapeValue returns a value without character references. The parser of the library
// reads the attribute if it has unusual ones.
func unescapeValue(value, attribute string) string {
	if b, ok := unescapeUsual(value); ok {
		return string(b)
	}
	z := html.NewTokenizer(strings.NewReader("<p " + attribute + ">"))
	z.Next()
	z.TagName()
	_, parsed, _ := z.TagAttr()
	return string(parsed)
}

// unescapeUsual replaces usual references, and reports whether there were no others. The
// "&" before a parameter of a URL begins no reference.
func unescapeUsual(value string) (b []byte, ok bool) {
	if strings.ContainsAny(value, unusual) {
		return nil, false
	}
	b = make([]byte, 0, len(value))
next:
	for {
		n := strings.IndexByte(value, '&')
		if n < 0 {
			return append(b, value...), true
		}
		b, value = append(b, value[:n]...), value[n+1:]
		for i := range references {
			if strings.HasPrefix(value, references[i].name) {
				b, value = append(b, references[i].text...), value[len(references[i].name):]
				continue next
			}
		}
		end := 0
		for end < len(value) && (runes.IsLetter(value[end]) || value[end] >= '0' && value[end] <= '9') {
			end++
		}
		if end == 0 && value != "" && value[0] == '#' || end > 0 && (end == len(value) || value[end] != '=') {
			return nil, false
		}
		b = append(b, '&')
	}
}
