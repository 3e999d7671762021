package charset

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"
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
	decoder transform.Transformer
	char    [utf8.UTFMax]byte
}

func (c *Charset) reader(b []byte) *reader {
	return &reader{Charset: c, rest: b, decoder: c.coder.NewDecoder().Transformer}
}

// maxSize is the size of the longest character of any encoding in bytes.
const maxSize = 4

// next decodes one character to UTF-8 and reports whether it was valid. The next call reuses char.
func (r *reader) next() (char []byte, ok bool) {
	unit := 1
	switch {
	case r.wide:
		unit = min(2, len(r.rest))
	case r.rest[0] < utf8.RuneSelf:
		char, r.rest = r.rest[:1], r.rest[1:]
		return char, true
	}
	for n := unit; n <= min(maxSize, len(r.rest)); n += unit {
		size, _, _ := r.decoder.Transform(r.char[:], r.rest[:n], false)
		if size == 0 { // the character has more bytes
			continue
		}
		char = r.char[:size]
		if bytes.HasPrefix(char, []byte("\uFFFD")) || n == 4 && !r.wide && r.rest[1] > '9' { // not GB 18030, but x/text takes it
			break
		}
		r.rest = r.rest[n:]
		return char, true
	}
	r.rest = r.rest[unit:]
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
