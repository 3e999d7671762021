package search

import (
	"bytes"
	"io"
	"unicode/utf8"

	"techo/internal/charset"
)

// convert searches a file in another encoding if the search has an encoding. done
// is false for all other files.
func (s *searcher) convert(in io.Reader, have int, ended bool) (now int, end, done bool, err error) {
	if s.encoding == "" || bytes.IndexByte(s.buf[:have], 0) >= 0 {
		return have, ended, false, nil
	}
	if have, ended, err = s.readMore(in, have, ended); err != nil {
		return have, ended, false, err
	}
	return have, ended, s.decode(s.buf[:have], ended) || s.onlyEncoded, nil
}

func byteOrderMark(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return b[:3]
	}
	return nil
}

// isUTF16 reports whether a file begins with a UTF-16 byte order mark.
func isUTF16(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe")) && !bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")) ||
		bytes.HasPrefix(b, []byte("\xfe\xff"))
}

// readUTF16 converts a whole UTF-16 file to UTF-8 and searches it.
func (s *searcher) readUTF16(in io.Reader, have int, ended bool) reason {
	have, ended, err := s.readMore(in, have, ended)
	switch {
	case err != nil:
		return isUnreadable
	case !ended:
		return isTooLarge
	case !s.onlyEncoded:
		s.searchDecoded(charset.Marked(s.buf[:have]), s.buf[:have])
	}
	return noReason
}

// readMore reads on until the file ends or the largest buffer is full.
func (s *searcher) readMore(in io.Reader, have int, ended bool) (int, bool, error) {
	for !ended && (have < len(s.buf) || s.grow()) {
		n, end, err := fill(in, s.buf[have:])
		if err != nil {
			return have, false, err
		}
		have, ended = have+n, end
	}
	return have, ended, nil
}

// searchDecoded searches a complete text in an encoding.
func (s *searcher) searchDecoded(c *charset.Charset, raw []byte) {
	s.current.charset = c
	text := []byte(c.Decode(raw).String)
	if s.multiline {
		s.searchMultiline(text, 0)
	} else {
		s.searchLines(text, 0, false)
	}
}

// decode converts a file to UTF-8 and searches it. It reports false for files that
// are valid UTF-8, too large or in no known encoding.
func (s *searcher) decode(raw []byte, ended bool) bool {
	if !ended || utf8.Valid(raw) {
		return false
	}
	c, _ := charset.Find(string(s.encoding))
	if s.encoding == autoEncoding {
		c, _ = charset.Detect(raw)
	}
	if c == nil {
		return false
	}
	s.searchDecoded(c, raw)
	return true
}
