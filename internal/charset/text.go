package charset

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
)

// Text is a decoded file.
type Text struct {
	String  string // UTF-8 without a BOM; the bytes themselves if the file is UTF-8
	Charset *Charset
	BOM     bool // the file starts with a byte order mark
	Lossy   bool // some bytes were invalid: U+FFFD in String, or kept if the file is UTF-8

	raw   []byte
	marks []mark // nil if String equals raw
}

// mark maps an offset in the text to an offset in the file.
type mark struct{ text, raw int }

// marked is the approximate distance of two marks, in bytes of text.
const marked = 1 << 10

// Decode decodes a file. It never fails: an invalid byte (in UTF-16, an invalid
// pair) becomes U+FFFD and keeps its offset.
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
	if c.stateful {
		text, _ := c.coder.NewDecoder().Bytes(raw) // fails for no input
		t.String = string(text)
		t.Lossy = strings.Contains(t.String, "\uFFFD")
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

// Offset converts an offset in String to an offset in the file. The offset must be
// at a character boundary.
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

// reader decodes a file one character at a time.
type reader struct {
	*Charset
	rest    []byte
	decoder interface{ Bytes([]byte) ([]byte, error) }
}

func (c *Charset) reader(b []byte) *reader {
	return &reader{c, b, c.coder.NewDecoder()}
}

// next decodes one character to UTF-8 and reports whether it was valid.
func (r *reader) next() (char []byte, ok bool) {
	n := r.size(r.rest)
	low := 0 // the byte of an ASCII character
	if r.wide && r.bom[0] == 0xfe {
		low = 1
	}
	if n == 1 && r.rest[0] < utf8.RuneSelf || r.wide && n == 2 && r.rest[low] < utf8.RuneSelf && r.rest[1-low] == 0 {
		char, r.rest = r.rest[low:low+1], r.rest[n:]
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

// IsASCII reports whether a text has only ASCII characters, which are the same bytes in all
// encodings of files but UTF-16.
func IsASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
