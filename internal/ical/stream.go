package ical

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// Stream is a stream of any size that can be read several times.
type Stream struct {
	in io.ReadSeeker

	Encoding string // that it was in
	Begun    int    // the number of components but calendars
}

// Open reads a stream once. One in UTF-8 is read from its source again each time; another one is
// converted, as Decode does it, and kept.
func Open(in io.ReadSeeker) (*Stream, error) {
	s := &Stream{in: in, Encoding: utf8Name}
	head := make([]byte, 64)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	valid := withoutMark(head[:n]) == nil
	if valid {
		err = s.lines(func(l physical) bool {
			valid = utf8.Valid(l.text) && !bytes.Contains(l.text, escape)
			if bytes.HasPrefix(l.text, []byte("BEGIN:")) && !bytes.HasPrefix(l.text, []byte("BEGIN:VCALENDAR")) {
				s.Begun++
			}
			return valid
		})
	}
	if err != nil || valid {
		return s, err
	}
	data, err := s.Bytes()
	if err != nil {
		return nil, err
	}
	text, encoding := Decode(data)
	if s.Begun = bytes.Count(text, []byte("BEGIN:")); encoding != utf8Name {
		s.in, s.Encoding = bytes.NewReader(text), encoding
	}
	return s, nil
}

// OpenBytes is Open for a stream in memory, which does not fail.
func OpenBytes(data []byte) *Stream {
	s, _ := Open(bytes.NewReader(data))
	return s
}

// Bytes returns the stream as a whole, in UTF-8.
func (s *Stream) Bytes() ([]byte, error) {
	if _, err := s.in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(s.in)
}

// lines calls use with the content lines until it returns false. They have no raw bytes.
func (s *Stream) lines(use func(physical) bool) error {
	if _, err := s.in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(s.in, 64<<10)
	if mark, _ := in.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		_, _ = in.Discard(len(mark)) // Peek has read it
	}
	var u unfolder
	for {
		text, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if l, ok := u.add(text); ok && !use(l.cut()) {
			return nil
		}
	}
	if u.line.text != nil {
		use(u.line.cut())
	}
	return nil
}

// cut ends a line that is too long behind a character.
func (l physical) cut() physical {
	if len(l.text) <= tooLong {
		return l
	}
	l.text = l.text[:tooLong]
	for n := range utf8.UTFMax {
		if r, _ := utf8.DecodeLastRune(l.text[:tooLong-n]); r != utf8.RuneError {
			l.text = l.text[:tooLong-n]
			break
		}
	}
	return l
}

// readLine reads a physical line without its end, and of a long one the first bytes.
func readLine(in *bufio.Reader) (text []byte, err error) {
	text = []byte{}
	began := false
	for {
		b, err := in.Peek(max(1, in.Buffered()))
		if len(b) == 0 {
			if began && errors.Is(err, io.EOF) {
				err = nil
			}
			return text, err
		}
		began = true
		i := bytes.IndexAny(b, "\r\n")
		part := b
		if i >= 0 {
			part = b[:i]
		}
		text = append(text, part[:min(len(part), tooLong+1-len(text))]...)
		if i < 0 {
			_, _ = in.Discard(len(b)) // Peek has read it
			continue
		}
		carriage := b[i] == '\r'
		_, _ = in.Discard(i + 1)
		if next, _ := in.Peek(1); carriage && len(next) > 0 && next[0] == '\n' {
			_, _ = in.Discard(1)
		}
		return text, nil
	}
}
