package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"techo/internal/charset"
	"techo/internal/pattern"
	"techo/internal/regular"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// mode is the kind of result of a search.
type mode int

const (
	modeLines mode = iota
	modeFiles
	modeWithout // files without a match
	modeCounts
)

func (m mode) field() string {
	return [...]string{"", "files_with_matches", "files_without_match", "count"}[m]
}

// lineSearch is one search for lines: its options and results. Several searchers share it.
type lineSearch struct {
	pattern                 *pattern.Pattern
	mode                    mode
	multiline               bool
	invert                  bool // find the lines that do not match
	onlyMatching            bool // return each match of a line
	mostKept                int  // longest part of a line that is kept, in bytes
	maxResults              int  // limit of all results; 0 for no limit
	maxPerFile              int  // limit per file; 0 for no limit
	linesBefore, linesAfter int  // context lines
	after                   cursor
	selected                selection
	stopAfter               func(path string) // stops the walk behind a path
	searchBinary            bool              // search binary files too
	// of files that are not UTF-8; "auto" detects it, "" searches the raw bytes
	encoding    searchEncoding
	stdin       []byte      // what is searched instead of a file, or nil
	onlyEncoded bool        // search only files that encoding applies to
	searchers   []*searcher // one for each worker, created on first use

	mu     sync.Mutex
	found  []fileHits // sorted by path
	total  int        // number of results in found
	counts []FileCount

	spareLock sync.Mutex // protects spare
	spare     []byte     // shared buffer for lines that are too long for a searcher's own buffer
}

type fileHits struct {
	path  string
	hits  []hit
	count int  // number of matching lines
	more  bool // the file has more matches than the limit per file

	charset *charset.Charset // encoding of the file; nil if it was searched as raw bytes
}

// hit is a matching line. It keeps only part of a long line.
type hit struct {
	line        int
	offset      int64  // of the line in the file, in bytes
	size        int    // of the line, in bytes
	text        []byte // the line, or part of it
	charsBefore int    // characters of the line before text
	partial     bool   // text is only part of the line
	matchOffset int    // offset in text at or near the match
}

// Sizes, in bytes.
const (
	firstBuffer    = 64 << 10  // enough for nearly all files
	streamBuffer   = 256 << 10 // for larger files
	lastBuffer     = 16 << 20  // for long lines, see spare; longer lines are searched in pieces
	maxBinaryCheck = 64 << 10  // a NUL in these first bytes makes a file binary
	maxKept        = 2 << 10   // longest part of a line that is kept
	maxMatching    = 64 << 10  // likewise, if each match of the line is a result
)

type searcher struct {
	*lineSearch
	ctx     context.Context
	tree    *tree
	scanner *pattern.Scanner
	buf     []byte
	ownBuf  []byte // the searcher's own buffer while buf is spare
	opened  walk.Opened

	// State of the current file.
	skipLines int // lines up to this one are known from an earlier page
	current   fileHits
	line      int // number of the first line in the buffer
	done      bool
	tooLong   bool
}

// searcher returns the worker's searcher, creating it on first use.
func (s *lineSearch) searcher(ctx context.Context, t *tree, worker int) *searcher {
	one := s.searchers[worker]
	if one == nil {
		one = &searcher{lineSearch: s, scanner: s.pattern.Scanner(), buf: make([]byte, firstBuffer)}
		s.searchers[worker] = one
	}
	one.ctx, one.tree = ctx, t
	return one
}

func (s *searcher) visit(f *walk.Folder, e walk.Entry) {
	s.skipLines = 0
	if s.after.path != "" && f.Join(e) == s.after.path {
		if s.skipLines = s.after.skips(); s.skipLines == wholeFile {
			return
		}
	}
	var err error
	if s.opened, err = f.Open(e); err != nil {
		s.tree.skip(f.Join(e), isUnreadable)
		return
	}
	// Build the path only for a file with a result.
	why := s.searchReader(&s.opened)
	if s.current.count > 0 || why != noReason || s.mode == modeWithout {
		s.report(f.Join(e), why)
	}
	s.opened.Close()
}

func (s *searcher) report(path string, why reason) {
	if why != noReason {
		s.tree.skip(path, why)
	}
	if s.mode == modeWithout { // the files that were searched to their end in vain
		if s.current.count > 0 || why != noReason || s.ctx.Err() != nil {
			return
		}
		s.current.count = 1
	}
	if s.current.count > 0 && (s.mode != modeLines || len(s.current.hits) > 0) {
		s.current.path = path
		s.add(s.current)
	}
}

// searchReader searches a file until its end or until the search has enough
// results. It returns the reason if it skipped the file or a part of it.
func (s *searcher) searchReader(in io.Reader) reason {
	s.current, s.line, s.done, s.tooLong = fileHits{}, 1, false, false
	defer s.releaseSpare()
	have, start, offset := 0, 0, int64(0) // offset of the buffer in the file
	for first := true; !s.done; first = false {
		var ended, done bool
		var err error
		if have, ended, err = s.fillBuffer(in, have); err != nil {
			return isUnreadable
		}
		if first {
			if isUTF16(s.buf[:have]) {
				return s.readUTF16(in, have, ended)
			}
			start = len(byteOrderMark(s.buf[:have]))
			if have, ended, done, err = s.convert(in, have, ended); err != nil {
				return isUnreadable
			} else if done {
				return noReason
			}
		}
		stop, why := s.binaryAt(s.buf[start:have], first)
		if why == isBinary {
			if stop == 0 {
				return why
			}
			have, ended = start+stop, true
		}
		if s.multiline {
			if !ended {
				if have == len(s.buf) && !s.grow() {
					return isTooLarge
				}
				continue
			}
			s.searchMultiline(s.buf[start:have], offset+int64(start))
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
		s.searchLines(s.buf[start:end], offset+int64(start), !ended)
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

// fillBuffer fills the buffer behind its first have bytes. If the file goes on, it
// enlarges a small buffer first. It returns the number of bytes in the buffer.
func (s *searcher) fillBuffer(in io.Reader, have int) (now int, ended bool, err error) {
	n, ended, err := fill(in, s.buf[have:])
	if have += n; err != nil || ended || len(s.buf) >= streamBuffer {
		return have, ended, err
	}
	s.grow()
	n, ended, err = fill(in, s.buf[have:])
	return have + n, ended, err
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

// grow enlarges the buffer for a long line. Above streamBuffer, all searchers
// share one buffer, which bounds the memory.
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
	case s.ownBuf == nil:
		s.spareLock.Lock()
		s.ownBuf = s.buf
	}
	if len(s.spare) < size {
		s.spare = make([]byte, size)
	}
	copy(s.spare, s.buf)
	s.buf = s.spare[:size]
	return true
}

func (s *searcher) releaseSpare() {
	if s.ownBuf != nil {
		s.buf, s.ownBuf = s.ownBuf, nil
		s.spareLock.Unlock()
	}
}

// binaryAt looks for NUL. A NUL near the beginning makes the file binary. A later
// one ends the search before its line.
func (s *searcher) binaryAt(text []byte, first bool) (stop int, why reason) {
	at := bytes.IndexByte(text, 0)
	switch {
	case at < 0 || s.searchBinary:
		return len(text), noReason
	case first && at < maxBinaryCheck:
		return 0, isBinary
	}
	return bytes.LastIndexByte(text[:at], '\n') + 1, isBinary
}

// searchLines records the matching lines in a text of complete lines. more is set
// if text follows.
func (s *searcher) searchLines(text []byte, offset int64, more bool) {
	if s.invert {
		s.searchOthers(text, offset)
		return
	}
	counted := 0
	for at := 0; !s.done; {
		span, ok := s.scanner.Next(text, at)
		if !ok {
			break
		}
		if s.mode == modeLines {
			s.line += bytes.Count(text[counted:span.Start], []byte("\n"))
			counted = span.Start
		}
		s.record(text, span, offset)
		at = span.End + 1
	}
	if more && s.mode == modeLines && !s.done {
		s.line += bytes.Count(text[counted:], []byte("\n"))
	}
}

// searchOthers records the lines of a text that do not match.
func (s *searcher) searchOthers(text []byte, offset int64) {
	next, ok := s.scanner.Next(text, 0) // the next line that matches
	for at := 0; at < len(text) && !s.done; s.line++ {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		if ok && next.Start == at {
			next, ok = s.scanner.Next(text, min(end+1, len(text)))
		} else {
			s.record(text, pattern.Span{Start: at, End: end, Inside: at}, offset)
		}
		at = end + 1
	}
}

// searchMultiline records matches that may span lines.
func (s *searcher) searchMultiline(text []byte, offset int64) {
	counted := 0
	s.scanner.All(text, func(span pattern.Span, start int) bool {
		s.line += bytes.Count(text[counted:span.Start], []byte("\n"))
		counted = span.Start
		span.Inside = start
		s.record(text, span, offset)
		return !s.done && s.ctx.Err() == nil
	})
}

// record counts a match, and keeps it if it is wanted.
func (s *searcher) record(text []byte, span pattern.Span, offset int64) {
	s.current.count++
	switch {
	case s.mode == modeFiles, s.mode == modeWithout:
		s.done = true
		return
	case s.maxPerFile > 0 && s.current.count > s.maxPerFile:
		s.current.count, s.current.more, s.done = s.maxPerFile, true, true
		return
	}
	if s.mode != modeLines || s.line <= s.skipLines {
		return
	}
	line, inside := text[span.Start:span.End], span.Inside-span.Start
	if len(line) > s.mostKept && !s.multiline {
		if start, _ := s.pattern.Place(line, inside); start >= 0 {
			inside = start // only the whole line shows what precedes the match
		}
	}
	h := newHit(line, inside, s.mostKept)
	h.line, h.offset = s.line, offset+int64(span.Start)
	s.current.hits = append(s.current.hits, h)
	if s.maxResults > 0 && len(s.current.hits) > s.maxResults {
		s.done = true
	}
}

// stdinName is the path of a result in what was piped in, as in ripgrep.
const stdinName = "<stdin>"

// content is what is searched: an open file, or what was piped in.
type content interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
}

// piped is the content of stdin.
type piped struct{ *bytes.Reader }

func (piped) Close() error { return nil }

// startOf finds what to search. The path - is stdin if the command line says so.
func (s *lineSearch) startOf(env *tools.Env, given string) (p paths.Place, isFolder bool, err error) {
	if given == "-" && env.Host.Stdin != nil {
		s.stdin = env.Host.Stdin
		return paths.Place{Shown: stdinName}, false, nil
	}
	p, st, err := openStart(env, given)
	return p, err == nil && st.IsDir(), err
}

// searchFile searches a single file, whatever its name and type.
func (s *lineSearch) searchFile(ctx context.Context, p paths.Place, t *tree) error {
	f, err := s.openSingle(p)
	if err != nil {
		return err
	}
	defer f.Close()
	s.stopAfter = func(string) {}
	s.searchOpen(ctx, t, f, s.after.skips())
	return nil
}

// searchOpen searches an open file after line past.
func (s *lineSearch) searchOpen(ctx context.Context, t *tree, f content, past int) {
	if len(s.searchers) == 0 {
		s.searchers = make([]*searcher, 1)
	}
	one := s.searcher(ctx, t, 0)
	one.skipLines = past
	one.report("", one.searchReader(f))
}

func (s *lineSearch) openSingle(p paths.Place) (content, error) {
	if s.stdin != nil {
		return piped{bytes.NewReader(s.stdin)}, nil
	}
	return p.Open()
}

// reopen opens a file again that was searched before.
func (s *lineSearch) reopen(p paths.Place, t *tree, path string) (content, error) {
	if t.root == nil {
		return s.openSingle(p)
	}
	return t.root.OpenFile(path, os.O_RDONLY|regular.NoWait, 0)
}
