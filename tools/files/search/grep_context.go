package search

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"techo/internal/charset"
)

// contextReader reads the lines around matches from a file that was searched.
type contextReader struct {
	at   io.ReaderAt
	size int64
}

func newContextReader(f content, c *charset.Charset) *contextReader {
	if c != nil {
		if raw, err := io.ReadAll(bufio.NewReader(io.LimitReader(f, lastBuffer))); err == nil {
			text := c.Decode(raw).String
			return &contextReader{strings.NewReader(text), int64(len(text))}
		}
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return &contextReader{f, 0}
	}
	return &contextReader{f, size}
}

// maxAround limits the bytes that are read on each side of a match for its context
// lines.
const maxAround = 64 << 10

// around returns up to before lines above and behind lines below a match.
func (s *contextReader) around(h hit, before, behind int) (above, below []string) {
	above, below = []string{}, []string{}
	from := max(0, h.offset-maxAround)
	lines := bytes.SplitAfter(s.readRange(from, h.offset), []byte("\n"))
	lines = lines[:len(lines)-1] // the last element is the match itself
	for i := max(0, len(lines)-before); i < len(lines); i++ {
		if i == 0 && from > 0 && len(lines) > 1 {
			continue // the line may have begun earlier
		}
		l := lines[i]
		if i == 0 && from > 0 { // the line is longer than maxAround
			l = l[max(0, len(l)-len("\n")-maxText):]
		}
		above = append(above, shownLine(l))
	}
	end := h.offset + int64(h.size) + 1
	rest := s.readRange(end, min(s.size, end+maxAround))
	for l := range bytes.Lines(rest) {
		if len(below) == behind {
			break
		}
		below = append(below, shownLine(l))
	}
	return above, below
}

func (s *contextReader) readRange(from, to int64) []byte {
	if to <= from {
		return nil
	}
	b := make([]byte, to-from)
	n, _ := s.at.ReadAt(b, from) // unreadable context is left out
	return b[:n]
}

func shownLine(l []byte) string {
	text, _ := toUTF8(bytes.TrimSuffix(bytes.TrimSuffix(l, []byte("\n")), []byte("\r")))
	text, _ = clipAround(strings.TrimPrefix(text, "\ufeff"), 0)
	return text
}
