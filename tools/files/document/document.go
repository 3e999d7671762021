// Package document has the text of a file: how it is decoded, where a text occurs in it, exactly or
// loosely, and how a new text gets the line ends and the indentation of its place.
package document

import (
	"slices"
	"sort"
	"strings"

	"techo/internal/charset"
)

// Document is a decoded file. Searches use the text with "\n" as the only line
// end; document maps their offsets back to the bytes of the file.
type Document struct {
	Raw        []byte
	Text       *charset.Text
	normalized string // text with "\n" for "\r\n", and for "\r" if there is no "\n" at all
	removedCRs []int  // offsets in normalized where a "\r" was removed
}

func New(raw []byte, c *charset.Charset) *Document {
	d := &Document{Raw: raw, Text: c.Decode(raw)}
	s := d.Text.String
	switch {
	case !strings.Contains(s, "\r"):
		d.normalized = s
	case !strings.Contains(s, "\n"):
		d.normalized = strings.ReplaceAll(s, "\r", "\n")
	default:
		var b strings.Builder
		b.Grow(len(s))
		for {
			i := strings.Index(s, "\r\n")
			if i < 0 {
				break
			}
			b.WriteString(s[:i])
			d.removedCRs = append(d.removedCRs, b.Len())
			b.WriteByte('\n')
			s = s[i+2:]
		}
		b.WriteString(s)
		d.normalized = b.String()
	}
	return d
}

// inText converts an offset in normalized to one in text.
func (d *Document) inText(place int) int {
	return place + sort.SearchInts(d.removedCRs, place)
}

// InFile converts an offset in text to one in the file.
func (d *Document) InFile(place int) int { return d.Text.Offset(place) }

// Newline names the line ends of a text: "lf", "crlf", "cr", "mixed", or "none" if
// there is only one line.
func Newline(text string) string {
	all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case all == 0 && strings.Contains(text, "\r"):
		return "cr"
	case all == 0:
		return "none"
	case crlf == 0:
		return "lf"
	case crlf == all:
		return "crlf"
	}
	return "mixed"
}

// NewlineAt returns the line end at an offset in text. In the last line it returns
// the end of the line before.
func (d *Document) NewlineAt(place int) string {
	s := d.Text.String
	i := strings.IndexByte(s[place:], '\n')
	if i >= 0 {
		i += place
	} else {
		i = strings.LastIndexByte(s[:place], '\n')
	}
	switch {
	case i > 0 && s[i-1] == '\r':
		return "\r\n"
	case i < 0 && strings.Contains(s, "\r"):
		return "\r"
	}
	return "\n"
}

// LineStarts returns the offset of each line in text, and the end of the text.
func (d *Document) LineStarts() (starts []int) {
	at := 0
	for line := range strings.Lines(d.Text.String) {
		starts = append(starts, at)
		at += len(line)
	}
	return append(starts, at)
}

// Splice returns the splice in the file that replaces the text between two offsets.
func (d *Document) Splice(start, end int, with []byte) Splice {
	from := d.InFile(start)
	return Splice{from, d.InFile(end) - from, with}
}

// Encoding is the encoding option of the tools that read and write files. ""
// means detection.
type Encoding string

// Enum lists the supported encodings.
func (Encoding) Enum() []string { return charset.Names() }

// Label returns the encoding that another name means, such as latin1.
func (Encoding) Label(text string) string { return charset.Label(text) }

// Charset returns the character set, or nil for "".
func (e Encoding) Charset() *charset.Charset {
	c, _ := charset.Find(string(e))
	return c
}

// LegacyEncodings lists those that are not Unicode.
func LegacyEncodings() []string {
	return slices.DeleteFunc(charset.Names(), func(name string) bool { return strings.HasPrefix(name, "utf-") })
}
