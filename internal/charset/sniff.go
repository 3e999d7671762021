package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// head is the number of bytes that are searched for NUL, and the number of bytes,
// from the first non-ASCII byte on, that a guess is based on.
const head = 64 << 10

// Sniffer detects the encoding of a file that is written to it in pieces.
type Sniffer struct {
	head   []byte
	sample []byte // bytes from the last one before the first non-ASCII byte on
	cut    []byte // an incomplete character at the end of the last piece
	broken bool   // not valid UTF-8

	last     []byte // the last two bytes
	switches bool   // an escape sequence of ISO-2022-JP occurred
}

// Write adds the next piece of the file. It never fails.
func (s *Sniffer) Write(b []byte) (int, error) {
	n := len(b)
	s.head = fill(s.head, b)
	switch at := ascii(b); {
	case len(s.sample) > 0:
		s.sample = fill(s.sample, b)
	case at > 0 && at < n:
		s.sample = fill(nil, b[at-1:])
	case at < n:
		s.sample = fill(bytes.Clone(s.last[max(0, len(s.last)-1):]), b)
	}
	s.switches = s.switches || hasSwitch(append(s.last, b[:min(n, 2)]...)) || hasSwitch(b)
	s.last = bytes.Clone(append(s.last, b[max(0, n-2):]...))
	s.last = s.last[max(0, len(s.last)-2):]
	if s.broken {
		return n, nil
	}
	if len(s.cut) > 0 {
		b = append(s.cut, b...)
	}
	whole := trimCut(b)
	s.broken = !utf8.Valid(whole)
	s.cut = bytes.Clone(b[len(whole):])
	return n, nil
}

// hasSwitch reports whether b contains an escape sequence that begins Japanese
// characters in ISO-2022-JP.
func hasSwitch(b []byte) bool {
	for {
		i := bytes.Index(b, []byte("\x1b$"))
		if i < 0 || i+2 >= len(b) {
			return false
		}
		if c := b[i+2]; c == '@' || c == 'B' {
			return true
		}
		b = b[i+2:]
	}
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
// of them. guessed reports that the encoding follows from neither a byte order mark
// nor all bytes being valid UTF-8.
func (s *Sniffer) Charset() (c *Charset, guessed bool) {
	if c := Marked(s.head); c != nil {
		return c, false
	}
	if bytes.IndexByte(s.head, 0) >= 0 || controls(s.head)*3 > len(s.head) {
		return nil, false
	}
	if s.broken || len(s.cut) > 0 {
		return guess(s.sample), true
	}
	if s.switches && len(s.sample) == 0 {
		return &Charset{name: "iso-2022-jp", coder: japanese.ISO2022JP, stateful: true}, true
	}
	return UTF8(), false
}

// Detect returns the encoding of a whole file, like a Sniffer.
func Detect(raw []byte) (c *Charset, guessed bool) {
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
