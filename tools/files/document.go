package files

import (
	"sort"
	"strings"

	"techo/internal/charset"
)

// document is a file's text as it is searched: with every line end as "\n",
// and with the way back from each place to the bytes of the file.
type document struct {
	raw  []byte
	text *charset.Text
	view string // text with "\n" for "\r\n", or for "\r" where there is no "\n" at all
	cuts []int  // the places in view before which a "\r" was left out
}

func newDocument(raw []byte, c *charset.Charset) *document {
	d := &document{raw: raw, text: c.Decode(raw)}
	s := d.text.String
	switch {
	case !strings.Contains(s, "\r"):
		d.view = s
	case !strings.Contains(s, "\n"):
		d.view = strings.ReplaceAll(s, "\r", "\n")
	default:
		var b strings.Builder
		b.Grow(len(s))
		for {
			i := strings.Index(s, "\r\n")
			if i < 0 {
				break
			}
			b.WriteString(s[:i])
			d.cuts = append(d.cuts, b.Len())
			b.WriteByte('\n')
			s = s[i+2:]
		}
		b.WriteString(s)
		d.view = b.String()
	}
	return d
}

// inText returns where in the text a place of the view is.
func (d *document) inText(place int) int {
	return place + sort.SearchInts(d.cuts, place)
}

// inFile returns where in the file a place of the text is.
func (d *document) inFile(place int) int { return d.text.Offset(place) }

// newline tells how the lines end: "lf", "crlf", "cr", "mixed", or "none" when
// there is no more than one.
func newline(text string) string {
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

// newlineAt returns the end of the line that a place of the text is in; of the
// one before, when it is the last.
func (d *document) newlineAt(place int) string {
	s := d.text.String
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
