package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// head is how much of a file is looked at for a NUL, and how much from the
// first byte on that is not ASCII where the encoding must be guessed.
const head = 64 << 10

// Sniffer is written a file, piece by piece, and tells its encoding.
type Sniffer struct {
	head   []byte
	sample []byte // from the first byte on that is not ASCII
	cut    []byte // a character that the end of a piece cut
	broken bool   // it is no UTF-8
}

// Write takes the next piece of the file. It never fails.
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

// ascii returns how many bytes are ASCII, up to the first that is not.
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

// Charset returns the encoding of what was written, nil when it is binary: when
// there is a NUL in the first 64 KiB, or a third of these are control
// characters. What is neither UTF-8 nor marked by a BOM is guessed; Japanese
// needs more pairs of bytes that are common in it than rare ones.
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
	most := 0
	for _, name := range []string{"shift_jis", "euc-jp"} {
		c, _ := Find(name)
		if n := c.sense(s.sample); n > most {
			best, most = c, n
		}
	}
	switch {
	case best != nil:
		return best
	case hasUTF8(s.sample): // UTF-8 with a fault in it
		return UTF8()
	}
	c, _ := Find("windows-1252")
	return c
}

// Detect tells the encoding of a whole file, as a Sniffer does.
func Detect(raw []byte) *Charset {
	var s Sniffer
	s.Write(raw)
	return s.Charset()
}

// controls counts the bytes that no text has: all below a blank but tabs, ends
// of lines and pages, and the escape of terminals.
func controls(b []byte) (n int) {
	for _, c := range b {
		if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n
}

// hasUTF8 reports whether there is a character of several bytes that is UTF-8.
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

// sense scores a text, and is 0 when a byte of it is none. What is cut off at
// the end does not count.
func (c *Charset) sense(b []byte) int {
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
