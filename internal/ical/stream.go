package ical

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/internal/private"
)

// Stream is a stream of any size that can be read several times.
type Stream struct {
	in    io.ReadSeeker
	spool *private.Spool // the converted text of a large one

	Encoding string // that it was in
	Begun    int    // the number of components but calendars
}

// Open reads a stream once. One in UTF-8 is read from its source again each time. Another one is converted, as decode
// does it; a large one into a temporary file, with the encoding that fits the first megabytes of its foreign characters.
func Open(in io.ReadSeeker) (*Stream, error) {
	s := &Stream{in: in, Encoding: utf8Name}
	head := make([]byte, 64)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	if withoutMark(head) == nil {
		if valid, err := s.count(); err != nil || valid {
			return s, err
		}
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if size > maxWhole {
		return s, s.convert(head)
	}
	data, err := s.Bytes()
	if err != nil {
		return nil, err
	}
	text, encoding := decode(data)
	if s.Begun = bytes.Count(text, []byte("BEGIN:")); encoding != utf8Name {
		s.in, s.Encoding = bytes.NewReader(text), encoding
	}
	return s, nil
}

// Close removes what Open wrote. The source stays open.
func (s *Stream) Close() error {
	if s.spool == nil {
		return nil
	}
	return s.spool.Close()
}

// count sets Begun, and reports whether all lines are in UTF-8.
func (s *Stream) count() (valid bool, err error) {
	valid, s.Begun = true, 0
	err = s.lines(func(l physical) bool {
		valid = valid && utf8.Valid(l.text) && !bytes.Contains(l.text, escape)
		if bytes.HasPrefix(l.text, []byte("BEGIN:")) && !bytes.HasPrefix(l.text, []byte("BEGIN:VCALENDAR")) {
			s.Begun++
		}
		return true
	})
	return valid, err
}

// maxWhole is the size in bytes up to which a stream in another encoding is converted in memory. The encoding of a
// larger one is told from so many bytes of it.
const maxWhole = 8 << 20

// convert converts a large stream that begins with head into a temporary file. A stream of which only a few characters
// are not in UTF-8 stays as it is.
func (s *Stream) convert(head []byte) error {
	wide := withoutMark(head)
	if mark := charset.Marked(head); wide == nil && mark != nil && mark.Name() != utf8Name {
		wide = mark
	}
	encoding := utf8Name
	if wide != nil {
		encoding = wide.Name()
	} else if sample, err := s.sample(); err != nil {
		return err
	} else if _, encoding = charset.DecodePage(sample, ""); encoding == utf8Name {
		return nil
	}
	spool, err := private.NewSpool()
	if err != nil {
		return err
	}
	if err := s.convertTo(spool, encoding, wide == nil); err != nil {
		_ = spool.Close() // the error is told already
		return err
	}
	if s.in, s.spool, s.Encoding = spool, &spool, encoding; wide != nil {
		_, err = s.count()
	}
	return err
}

// sample returns the begin of the stream and further lines with characters but those of ASCII, unfolded.
func (s *Stream) sample() (text []byte, err error) {
	const begin = 64 << 10
	err = s.lines(func(l physical) bool {
		if len(text) < begin || !charset.IsASCII(l.text) || bytes.Contains(l.text, escape) {
			text = append(append(text, l.text...), '\n')
		}
		return len(text) < maxWhole
	})
	return text, err
}

// convertTo writes the stream in UTF-8. Its lines are unfolded first, if byLine, and keep their numbers.
func (s *Stream) convertTo(to io.Writer, encoding string, byLine bool) error {
	buffered := bufio.NewWriterSize(to, 64<<10)
	w, ok := charset.NewWriter(buffered, encoding)
	if !ok {
		return errors.New("ical: no decoder for " + encoding)
	}
	var failed error
	if byLine {
		number := 1
		err := s.lines(func(l physical) bool {
			for ; number < l.number && failed == nil; number++ {
				_, failed = w.Write([]byte("\n"))
			}
			if failed == nil {
				_, failed = w.Write(l.text)
			}
			return failed == nil
		})
		failed = cmp.Or(failed, err)
	} else if _, failed = s.in.Seek(0, io.SeekStart); failed == nil {
		_, failed = io.Copy(w, s.in)
	}
	return cmp.Or(failed, w.Close(), buffered.Flush())
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
