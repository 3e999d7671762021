package files

import (
	"bytes"
	"strings"

	"techo/internal/charset"
)

// maxPage is how much of a file a page shows, in bytes.
const maxPage = 256 << 10

// pager keeps a run of lines of a file that is added piece by piece, and counts
// the others.
type pager struct {
	first, last int  // the lines to keep, from 1
	end         byte // of a line
	high        int  // in UTF-16 the place of the high byte in a unit, 1 or 2; else 0

	raw   []byte // the lines
	line  int    // where in raw the last of them begins
	shown int    // how many they are
	full  bool   // no more fit
	cut   bool   // the only one was cut

	ends    int // of lines
	returns int // carriage returns
	pairs   int // of these before a line end
	open    bool
	before  byte // the last byte, or low byte of a unit, of the piece before
}

// wide makes it count in units of two bytes where the encoding has these.
func (p *pager) wide(c *charset.Charset) {
	if c == nil {
		return
	}
	switch c.Name() {
	case "utf-16be":
		p.high = 1
	case "utf-16le":
		p.high = 2
	}
}

// add takes the next piece, of an even number of bytes unless it is the last.
func (p *pager) add(b []byte) {
	for len(b) > 0 {
		n, ended := p.next(b)
		p.count(b[:n], ended)
		if number := p.ends + 1; number >= p.first && number <= p.last && !p.full {
			p.keep(b[:n], !p.open)
		}
		if p.open = !ended; ended {
			p.ends++
		}
		b = b[n:]
	}
}

// next returns the length of what belongs to the line, with its end.
func (p *pager) next(b []byte) (n int, ended bool) {
	if p.high == 0 {
		if i := bytes.IndexByte(b, p.end); i >= 0 {
			return i + 1, true
		}
		return len(b), false
	}
	for i := 0; i+1 < len(b); {
		j := bytes.IndexByte(b[i:], p.end)
		if j < 0 {
			break
		}
		at := (i + j) &^ 1
		if at+1 < len(b) && b[at+p.high-1] == 0 && b[at+2-p.high] == p.end {
			return at + 2, true
		}
		i = at + 2
	}
	return len(b), false
}

// count counts the carriage returns of a line, for newline. In UTF-16 a byte
// of another character may look like one, which an end of a line behind it
// does not.
func (p *pager) count(b []byte, ended bool) {
	p.returns += bytes.Count(b, []byte{'\r'})
	if !ended {
		p.before = p.low(b, len(b))
		return
	}
	last := p.before
	if unit := p.unit(); len(b) > unit {
		last = p.low(b, len(b)-unit)
	}
	if last == '\r' {
		p.pairs++
	}
	p.before = 0
}

// unit is how many bytes an end of a line has.
func (p *pager) unit() int {
	if p.high > 0 {
		return 2
	}
	return 1
}

// low returns the last byte before a place, of a unit the low one.
func (p *pager) low(b []byte, at int) byte {
	if p.high > 0 {
		at -= p.high - 1
	}
	if at < 1 {
		return 0
	}
	return b[at-1]
}

// keep adds a piece of a line to the page, unless it does not fit.
func (p *pager) keep(b []byte, begins bool) {
	if begins {
		p.line = len(p.raw)
		p.shown++
	}
	if len(p.raw)+len(b) <= maxPage {
		p.raw = append(p.raw, b...)
		return
	}
	p.full = true
	if p.shown == 1 {
		p.raw = append(p.raw, b[:(maxPage-len(p.raw))&^1]...)
		p.cut = true
		return
	}
	p.raw = p.raw[:p.line]
	p.shown--
}

// total is how many lines there are.
func (p *pager) total() int {
	if p.open {
		return p.ends + 1
	}
	return p.ends
}

// newline tells how the lines end, as the function of that name does.
func (p *pager) newline() string {
	switch {
	case p.ends == 0:
		return "none"
	case p.end == '\r':
		return "cr"
	case p.pairs == 0:
		return "lf"
	case p.pairs == p.ends:
		return "crlf"
	}
	return "mixed"
}

// kindOf names the type of a binary file by how it begins.
func kindOf(head []byte) string {
	for _, k := range []struct{ begin, kind string }{
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\xff\xd8\xff", "image/jpeg"},
		{"GIF8", "image/gif"},
		{"RIFF", "audio, video or image (RIFF)"},
		{"BM", "image/bmp"},
		{"\x00\x00\x01\x00", "image/x-icon"},
		{"%PDF-", "application/pdf"},
		{"PK\x03\x04", "application/zip"},
		{"\x1f\x8b", "application/gzip"},
		{"BZh", "application/x-bzip2"},
		{"\xfd7zXZ\x00", "application/x-xz"},
		{"(\xb5/\xfd", "application/zstd"},
		{"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"},
		{"\x7fELF", "application/x-elf"},
		{"MZ", "application/x-msdos-program"},
		{"\xcf\xfa\xed\xfe", "application/x-mach-binary"},
		{"\xca\xfe\xba\xbe", "application/java-vm"},
		{"\x00asm", "application/wasm"},
		{"SQLite format 3\x00", "application/vnd.sqlite3"},
		{"OggS", "audio/ogg"},
		{"ID3", "audio/mpeg"},
	} {
		if strings.HasPrefix(string(head), k.begin) {
			return k.kind
		}
	}
	return "application/octet-stream"
}
