package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/internal/pattern"
	"techo/internal/walk"
)

// mode is what a search returns.
type mode int

const (
	wholeLines mode = iota
	onlyFiles
	onlyCounts
)

// search is what is asked for and what was found. Many searchers work on it.
type search struct {
	pattern        *pattern.Pattern
	mode           mode
	multiline      bool
	most           int // results that are returned, 0 is all
	perFile        int // lines of one file, 0 is all
	before, behind int // lines around
	after          cursor
	selected       selection
	limit          func(path string) // nothing behind the path is wanted
	binary         bool              // what is binary too
	encoding       string            // of files that are not in UTF-8, "auto" to find out, "" to take them as they are
	encoded        bool              // only such files
	searchers      []*searcher       // of each worker

	mu     sync.Mutex
	found  []fileHits // by path
	total  int        // results in found
	counts []FileCount

	large sync.Mutex // held by who uses spare
	spare []byte     // the one buffer for what no buffer of a searcher holds
}

// fileHits are the matching lines of one file.
type fileHits struct {
	path  string
	hits  []hit
	count int  // lines that match
	more  bool // there are more of them than one file may have

	charset *charset.Charset // that the file was read in, nil for as it is
}

// hit is a matching line as it was found. Of a long line only a part is kept.
type hit struct {
	line   int
	offset int64  // of the line in the file, in bytes
	size   int    // of the line
	view   []byte // the line, or a part of it
	ahead  int    // characters of the line before the view
	cut    bool   // the view is but a part
	inside int    // near the match, in view
}

// Sizes, in bytes.
const (
	firstBuffer  = 64 << 10  // enough for nearly all files
	streamBuffer = 256 << 10 // for those that are longer
	lastBuffer   = 16 << 20  // a line that is longer is searched in pieces, see spare
	binaryLook   = 64 << 10  // NUL within makes a file binary
	maxView      = 2 << 10   // kept of a line
)

// searcher searches one file after the other.
type searcher struct {
	*search
	ctx     context.Context
	tree    *tree
	scanner *pattern.Scanner
	buf     []byte
	own     []byte // in the place of which buf is the search's spare one
	opened  walk.Opened

	// Of the file.
	past    int // the lines that a cursor is past
	hits    fileHits
	line    int // that the text begins with
	done    bool
	tooLong bool
}

// searcher is that of a worker, for a tree. It is made when there is something
// for it to do, and stays.
func (s *search) searcher(ctx context.Context, t *tree, worker int) *searcher {
	one := s.searchers[worker]
	if one == nil {
		one = &searcher{search: s, scanner: s.pattern.Scanner(), buf: make([]byte, firstBuffer)}
		s.searchers[worker] = one
	}
	one.ctx, one.tree = ctx, t
	return one
}

func (s *searcher) visit(f *walk.Folder, e walk.Entry) {
	s.past = 0
	if s.after.path != "" && f.Join(e) == s.after.path {
		if s.past = s.after.line; s.past == wholeFile {
			return
		}
	}
	var err error
	if s.opened, err = f.Open(e); err != nil {
		s.tree.pass(f.Join(e), isUnreadable)
		return
	}
	// The path is not made before there is something to say of it.
	if why := s.read(&s.opened); s.hits.count > 0 || why != noReason {
		s.report(f.Join(e), why)
	}
	s.opened.Close()
}

func (s *searcher) report(path string, why reason) {
	if why != noReason {
		s.tree.pass(path, why)
	}
	if s.hits.count > 0 && (s.mode != wholeLines || len(s.hits.hits) > 0) {
		s.hits.path = path
		s.add(s.hits)
	}
}

// read searches a file from its beginning to its end, or as far as is wanted.
func (s *searcher) read(in io.Reader) reason {
	s.hits, s.line, s.done, s.tooLong = fileHits{}, 1, false, false
	defer s.giveBack()
	have, start := 0, 0
	offset := int64(0) // of the buffer
	for first := true; !s.done; first = false {
		n, ended, err := fill(in, s.buf[have:])
		if err != nil {
			return isUnreadable
		}
		if have += n; !ended && len(s.buf) < streamBuffer {
			s.grow()
			if n, ended, err = fill(in, s.buf[have:]); err != nil {
				return isUnreadable
			}
			have += n
		}
		if first {
			if isUTF16(s.buf[:have]) {
				return s.readUTF16(in, have, ended)
			}
			start = len(byteOrderMark(s.buf[:have]))
			if s.encoding != "" && bytes.IndexByte(s.buf[:have], 0) < 0 {
				if have, ended, err = s.readMore(in, have, ended); err != nil {
					return isUnreadable
				}
				if s.decode(s.buf[:have], ended) || s.encoded {
					return noReason
				}
			}
		}
		stop, why := s.binaryAt(s.buf[start:have], first)
		if why == isBinary && stop == 0 {
			return why
		}
		if why == isBinary {
			have, ended = start+stop, true
		}
		if s.multiline {
			if !ended {
				if have == len(s.buf) && !s.grow() {
					return isTooLarge
				}
				continue
			}
			s.over(s.buf[start:have], offset+int64(start))
			return why
		}
		end := have
		if !ended {
			if end = bytes.LastIndexByte(s.buf[:have], '\n') + 1; end == 0 {
				if s.grow() {
					continue
				}
				end, s.tooLong = have, true
			}
		}
		s.lines(s.buf[start:end], offset+int64(start), !ended)
		if ended || s.ctx.Err() != nil {
			if s.tooLong && why == noReason {
				why = isTooLarge
			}
			return why
		}
		offset += int64(end)
		have = copy(s.buf, s.buf[end:have])
		start = 0
	}
	return noReason
}

// fill reads until the buffer is full or the file ends.
func fill(in io.Reader, buf []byte) (have int, ended bool, err error) {
	for have < len(buf) {
		n, err := in.Read(buf[have:])
		have += n
		switch {
		case errors.Is(err, io.EOF):
			return have, true, nil
		case err != nil:
			return have, false, err
		}
	}
	return have, false, nil
}

// grow makes the buffer larger, for a long line. Beyond what each searcher has
// of its own there is one buffer for all, which bounds the memory.
func (s *searcher) grow() bool {
	size := 4 * len(s.buf)
	switch {
	case len(s.buf) >= lastBuffer:
		return false
	case size <= streamBuffer:
		larger := make([]byte, size)
		copy(larger, s.buf)
		s.buf = larger
		return true
	case s.own == nil:
		s.large.Lock()
		s.own = s.buf
	}
	if len(s.spare) < size {
		s.spare = make([]byte, size)
	}
	copy(s.spare, s.buf)
	s.buf = s.spare[:size]
	return true
}

// giveBack lets others use the buffer for what is large.
func (s *searcher) giveBack() {
	if s.own != nil {
		s.buf, s.own = s.own, nil
		s.large.Unlock()
	}
}

func byteOrderMark(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return b[:3]
	}
	return nil
}

// binaryAt looks for NUL. Near the beginning it makes the file binary; later
// it ends what is searched, with the line before.
func (s *searcher) binaryAt(text []byte, first bool) (stop int, why reason) {
	at := bytes.IndexByte(text, 0)
	switch {
	case at < 0 || s.binary:
		return len(text), noReason
	case first && at < binaryLook:
		return 0, isBinary
	}
	return bytes.LastIndexByte(text[:at], '\n') + 1, isBinary
}

// lines finds the matches in whole lines.
func (s *searcher) lines(text []byte, offset int64, more bool) {
	counted := 0
	for at := 0; !s.done; {
		span, ok := s.scanner.Next(text, at)
		if !ok {
			break
		}
		if s.mode == wholeLines {
			s.line += bytes.Count(text[counted:span.Start], []byte("\n"))
			counted = span.Start
		}
		s.take(text, span, offset)
		at = span.End + 1
	}
	if more && s.mode == wholeLines && !s.done {
		s.line += bytes.Count(text[counted:], []byte("\n"))
	}
}

// over finds the matches that may go over many lines.
func (s *searcher) over(text []byte, offset int64) {
	counted := 0
	s.scanner.All(text, func(span pattern.Span, start int) bool {
		s.line += bytes.Count(text[counted:span.Start], []byte("\n"))
		counted = span.Start
		span.Inside = start
		s.take(text, span, offset)
		return !s.done && s.ctx.Err() == nil
	})
}

// take counts a match, and keeps it when it is wanted.
func (s *searcher) take(text []byte, span pattern.Span, offset int64) {
	s.hits.count++
	switch {
	case s.mode == onlyFiles:
		s.done = true
		return
	case s.perFile > 0 && s.hits.count > s.perFile:
		s.hits.count, s.hits.more, s.done = s.perFile, true, true
		return
	}
	if s.mode != wholeLines || s.line <= s.past {
		return
	}
	s.hits.hits = append(s.hits.hits, newHit(text[span.Start:span.End], span.Inside-span.Start, s.line, offset+int64(span.Start)))
	if s.most > 0 && len(s.hits.hits) > s.most {
		s.done = true
	}
}

// newHit keeps a line.
func newHit(line []byte, inside, number int, offset int64) hit {
	h := hit{line: number, offset: offset, size: len(line), inside: inside}
	if len(line) <= maxView {
		h.view = bytes.Clone(line)
		return h
	}
	from := max(0, min(inside-maxView/2, len(line)-maxView))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	h.view, h.cut, h.inside = bytes.Clone(line[from:min(len(line), from+maxView)]), true, inside-from
	h.ahead = utf8.RuneCount(line[:from])
	return h
}

// isUTF16 reports whether a file begins with the mark of UTF-16.
func isUTF16(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe")) && !bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(b, []byte("\xfe\xff"))
}

// readUTF16 searches a file in UTF-16, as a whole and in UTF-8.
func (s *searcher) readUTF16(in io.Reader, have int, ended bool) reason {
	have, ended, err := s.readMore(in, have, ended)
	switch {
	case err != nil:
		return isUnreadable
	case !ended:
		return isTooLarge
	case !s.encoded:
		s.whole(decodeUTF16(s.buf[:have]))
	}
	return noReason
}

// readMore reads on until a file ends, or does not fit.
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

// whole searches a text that is there as a whole.
func (s *searcher) whole(text []byte) {
	if s.multiline {
		s.over(text, 0)
	} else {
		s.lines(text, 0, false)
	}
}

// decode searches a file that is not in UTF-8 in its encoding, and reports
// whether it was one.
func (s *searcher) decode(raw []byte, ended bool) bool {
	if !ended || utf8.Valid(raw) {
		return false
	}
	c, _ := charset.Find(s.encoding)
	if s.encoding == autoEncoding {
		c = charset.Detect(raw)
	}
	if c == nil {
		return false
	}
	s.hits.charset = c
	s.whole([]byte(c.Decode(raw).String))
	return true
}

// autoEncoding has the encoding of each file found out.
const autoEncoding = "auto"

// decodeUTF16 writes a text with its mark as UTF-8, without.
func decodeUTF16(b []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 0xfe {
		order = binary.BigEndian
	}
	b = b[2:]
	text := make([]byte, 0, len(b)/2+len(b)/16)
	for ; len(b) >= 2; b = b[2:] {
		r := rune(order.Uint16(b))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if len(b) >= 4 {
				low = rune(order.Uint16(b[2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				b = b[2:]
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return text
}

// add keeps what a file gave. Once there is enough, the path behind which
// nothing is wanted is known.
func (s *search) add(f fileHits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mode == onlyCounts {
		s.counts = append(s.counts, FileCount{f.path, f.count})
		return
	}
	at, _ := slices.BinarySearchFunc(s.found, f.path, func(f fileHits, path string) int { return walk.Compare(f.path, path) })
	s.found = slices.Insert(s.found, at, f)
	s.total += s.results(f)
	if s.most == 0 || s.total <= s.most {
		return
	}
	sum := 0
	for i, f := range s.found {
		if sum += s.results(f); sum > s.most {
			s.found, s.total = slices.Delete(s.found, i+1, len(s.found)), sum
			s.limit(f.path)
			return
		}
	}
}

// results is how much a file takes of what is returned.
func (s *search) results(f fileHits) int {
	if s.mode == wholeLines {
		return len(f.hits)
	}
	return 1
}
