package charset

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Text is a file that was read.
type Text struct {
	String  string // in UTF-8, without the BOM; for a file that is UTF-8, its very bytes
	Charset *Charset
	BOM     bool // the file begins with one
	Lossy   bool // bytes that are no text are in String as U+FFFD; in UTF-8, as they are

	raw   []byte
	marks []mark // nil when String has the bytes of raw
}

// mark says where in the file a place of the text is.
type mark struct{ text, raw int }

// marked is about how many bytes of the text are between two marks.
const marked = 1 << 10

// Decode reads a file. It never fails: what is no text becomes U+FFFD, a byte
// (in UTF-16 a pair) at a time, and keeps its place.
func (c *Charset) Decode(raw []byte) *Text {
	t := &Text{Charset: c, raw: raw, BOM: len(c.bom) > 0 && bytes.HasPrefix(raw, c.bom)}
	start := 0
	if t.BOM {
		start = len(c.bom)
	}
	if c.coder == nil {
		t.String = string(raw[start:])
		t.Lossy = !utf8.ValidString(t.String)
		return t
	}
	text := make([]byte, 0, len(raw)+len(raw)/2)
	t.marks = append(t.marks, mark{0, start})
	r := c.reader(raw[start:])
	for len(r.rest) > 0 {
		char, ok := r.next()
		text = append(text, char...)
		t.Lossy = t.Lossy || !ok
		if len(text)-t.marks[len(t.marks)-1].text >= marked {
			t.marks = append(t.marks, mark{len(text), len(raw) - len(r.rest)})
		}
	}
	t.String = string(text)
	return t
}

// Offset returns where in the file a place of the text is, which must be
// between two characters.
func (t *Text) Offset(place int) int {
	if t.marks == nil {
		if t.BOM {
			place += len(t.Charset.bom)
		}
		return place
	}
	m := t.marks[sort.Search(len(t.marks), func(i int) bool { return t.marks[i].text > place })-1]
	r := t.Charset.reader(t.raw[m.raw:])
	for at := m.text; at < place && len(r.rest) > 0; {
		char, _ := r.next()
		at += len(char)
	}
	return len(t.raw) - len(r.rest)
}

// reader reads a file one character at a time.
type reader struct {
	*Charset
	rest    []byte
	decoder interface{ Bytes([]byte) ([]byte, error) }
}

func (c *Charset) reader(b []byte) *reader {
	return &reader{c, b, c.coder.NewDecoder()}
}

// next reads a character into UTF-8, and reports whether it was one.
func (r *reader) next() (char []byte, ok bool) {
	n := r.size(r.rest)
	if n == 1 && r.rest[0] < utf8.RuneSelf {
		char, r.rest = r.rest[:1], r.rest[1:]
		return char, true
	}
	if n > 0 {
		char, err := r.decoder.Bytes(r.rest[:n])
		if err == nil && len(char) > 0 && !bytes.Contains(char, []byte("\uFFFD")) {
			r.rest = r.rest[n:]
			return char, true
		}
	}
	n = 1
	if r.wide {
		n = min(2, len(r.rest))
	}
	r.rest = r.rest[n:]
	return []byte("\uFFFD"), false
}
