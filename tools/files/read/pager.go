package read

import (
	"bytes"
	"strings"

	"techo/internal/charset"
)

const maxPage = 256 << 10

// pager collects a range of lines from a file that arrives in pieces, and counts
// all lines.
type pager struct {
	firstLine, last int  // the range to collect, from 1
	lineEnd         byte // the last byte of a line: '\n' or '\r'
	room            int  // size limit of the page, in bytes
	skip            int  // bytes of the first line to leave out
	highByte        int  // position of the high byte in a UTF-16 unit, 1 or 2; 0 for other encodings

	raw      []byte // the collected lines
	lastLine int    // offset in raw of the last collected line
	kept     int    // number of collected lines
	pageFull bool   // the room is used up
	cut      bool   // the only collected line was cut

	lineEnds int // number of line ends
	returns  int // number of carriage returns
	crlf     int // number of "\r\n"
	inLine   bool
	lastByte byte // the last byte of the previous piece; in UTF-16 the low byte of its last unit
}

// setCharset selects units of two bytes for UTF-16.
func (p *pager) setCharset(c *charset.Charset) {
	if c == nil {
		return
	}
	switch c.Name() {
	case "utf-16be":
		p.highByte = 1
	case "utf-16le":
		p.highByte = 2
	}
}

// add processes the next piece. It must have an even number of bytes unless it is
// the last.
func (p *pager) add(b []byte) {
	for len(b) > 0 {
		n, ended := p.next(b)
		p.count(b[:n], ended)
		if number := p.lineEnds + 1; number >= p.firstLine && number <= p.last && !p.pageFull {
			p.keep(b[:n], !p.inLine)
		}
		if p.inLine = !ended; ended {
			p.lineEnds++
		}
		b = b[n:]
	}
}

// next returns the length of the rest of the line, including its end.
func (p *pager) next(b []byte) (n int, ended bool) {
	if p.highByte == 0 {
		if i := bytes.IndexByte(b, p.lineEnd); i >= 0 {
			return i + 1, true
		}
		return len(b), false
	}
	for i := 0; i+1 < len(b); {
		j := bytes.IndexByte(b[i:], p.lineEnd)
		if j < 0 {
			break
		}
		at := (i + j) &^ 1
		if at+1 < len(b) && b[at+p.highByte-1] == 0 && b[at+2-p.highByte] == p.lineEnd {
			return at + 2, true
		}
		i = at + 2
	}
	return len(b), false
}

// count counts carriage returns for newline. In UTF-16, a byte of another
// character may look like one; only "\r\n" pairs are exact.
func (p *pager) count(b []byte, ended bool) {
	p.returns += bytes.Count(b, []byte{'\r'})
	if !ended {
		p.lastByte = p.lowByteBefore(b, len(b))
		return
	}
	last := p.lastByte
	if unit := p.unitSize(); len(b) > unit {
		last = p.lowByteBefore(b, len(b)-unit)
	}
	if last == '\r' {
		p.crlf++
	}
	p.lastByte = 0
}

// unitSize returns the size of a code unit in bytes.
func (p *pager) unitSize() int {
	if p.highByte > 0 {
		return 2
	}
	return 1
}

// lowByteBefore returns the low byte of the unit before an offset.
func (p *pager) lowByteBefore(b []byte, at int) byte {
	if p.highByte > 0 {
		at -= p.highByte - 1
	}
	if at < 1 {
		return 0
	}
	return b[at-1]
}

// keep adds part of a line to the page if it fits.
func (p *pager) keep(b []byte, begins bool) {
	if begins {
		p.lastLine = len(p.raw)
		p.kept++
	}
	if p.kept == 1 && p.skip > 0 {
		n := min(p.skip, len(b))
		p.skip, b = p.skip-n, b[n:]
	}
	if len(p.raw)+len(b) <= p.room {
		p.raw = append(p.raw, b...)
		return
	}
	p.pageFull = true
	if p.kept == 1 {
		p.raw = append(p.raw, b[:(p.room-len(p.raw))&^1]...)
		p.cut = true
		return
	}
	p.raw = p.raw[:p.lastLine]
	p.kept--
}

func (p *pager) total() int {
	if p.inLine {
		return p.lineEnds + 1
	}
	return p.lineEnds
}

// newline names the line ends, like the function newline.
func (p *pager) newline() string {
	switch {
	case p.lineEnds == 0:
		return "none"
	case p.lineEnd == '\r':
		return "cr"
	case p.crlf == 0:
		return "lf"
	case p.crlf == p.lineEnds:
		return "crlf"
	}
	return "mixed"
}

// mediaType returns the media type of a binary file by its first bytes.
func mediaType(head []byte) string {
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "image/webp"
	}
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
