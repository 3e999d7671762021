package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// head is the number of bytes that are searched for NUL, and the number of bytes,
// from the first non-ASCII byte on, that a guess is based on.
const head = 64 << 10

// Sniffer detects the encoding of a file that is written to it in pieces.
type Sniffer struct {
	head   []byte
	sample []byte // bytes from the first non-ASCII byte on
	cut    []byte // an incomplete character at the end of the last piece
	broken bool   // not valid UTF-8
}

// Write adds the next piece of the file. It never fails.
func (s *Sniffer) Write(b []byte) (int, error) {
	n := len(b)
	s.head = fill(s.head, b)
	if len(s.sample) == 0 {
		s.sample = fill(nil, b[ascii(b):])
	} else {
		s.sample = fill(s.sample, b)
	}
	if s.broken {
		return n, nil
	}
	if len(s.cut) > 0 {
		b = append(s.cut, b...)
	}
	whole := len(b)
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				whole = i
			}
			break
		}
	}
	s.broken = !utf8.Valid(b[:whole])
	s.cut = bytes.Clone(b[whole:])
	return n, nil
}

// ascii returns the length of the ASCII prefix of b.
func ascii(b []byte) (n int) {
	for n+8 <= len(b) && binary.LittleEndian.Uint64(b[n:])&0x8080808080808080 == 0 {
		n += 8
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

func fill(to, from []byte) []byte {
	return append(to, from[:min(len(from), head-len(to))]...)
}

// Charset returns the encoding of the bytes written so far, or nil for a binary
// file: one with a NUL in its first 64 KiB, or with control characters in a third
// of them. A file that is neither UTF-8 nor marked by a BOM is guessed. Japanese
// is chosen only if common byte pairs outnumber rare ones.
func (s *Sniffer) Charset() *Charset {
	if c := Marked(s.head); c != nil {
		return c
	}
	if bytes.IndexByte(s.head, 0) >= 0 || controls(s.head)*3 > len(s.head) {
		return nil
	}
	if !s.broken && len(s.cut) == 0 {
		return UTF8()
	}
	var best *Charset
	highest := 0
	for _, name := range []string{"shift_jis", "euc-jp"} {
		c, _ := Find(name)
		if n := c.plausibility(s.sample); n > highest {
			best, highest = c, n
		}
	}
	switch {
	case best != nil:
		return best
	case hasUTF8(s.sample): // UTF-8 with invalid bytes
		return UTF8()
	}
	c, _ := Find("windows-1252")
	return c
}

// Detect returns the encoding of a whole file, like a Sniffer.
func Detect(raw []byte) *Charset {
	var s Sniffer
	s.Write(raw)
	return s.Charset()
}

// controls counts control characters other than tab, line feed, carriage return,
// form feed and escape.
func controls(b []byte) (n int) {
	for _, c := range b {
		if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n
}

// hasUTF8 reports whether b contains a valid multi-byte UTF-8 character.
func hasUTF8(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if n > 1 && r != utf8.RuneError {
			return true
		}
		b = b[n:]
	}
	return false
}

// plausibility scores b as text in the encoding. It returns 0 if b contains an
// invalid byte; an incomplete character at the end is ignored.
func (c *Charset) plausibility(b []byte) int {
	sum := 0
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		n := c.size(b)
		if n == 0 && len(b) > 3 {
			return 0
		}
		if n == 0 {
			break
		}
		sum += c.score(b[:n])
		b = b[n:]
	}
	return sum
}
