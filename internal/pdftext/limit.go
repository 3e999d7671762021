package pdftext

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"time"
)

// ErrLarge reports a PDF that takes too much memory to read.
var ErrLarge = errors.New("pdf: takes too much memory to read")

// Limits of one PDF.
const (
	MaxMemory  = 128 << 20 // bytes, approximately
	maxObjects = 1 << 20
	maxPages   = 5000
	maxText    = 5 << 20 // bytes
)

// source is the file that the PDF library reads. The library spends little time
// between two reads, so reads are where it is stopped.
type source struct {
	*bytes.Reader
	ctx    context.Context
	stop   time.Time
	looked time.Time // when the heap was last checked
	start  uint64    // heap size at the start, in bytes
	look   uint64    // heap size at which to check again, 0 before the first check
	most   uint64    // by which the heap may grow, in bytes
	err    error     // the reason for stopping
}

// ReadAt fails once time or memory has run out.
func (s *source) ReadAt(b []byte, at int64) (int, error) {
	switch {
	case s.err != nil:
	case s.ctx.Err() != nil:
		s.err = context.Cause(s.ctx)
	case time.Now().After(s.stop):
		s.err = ErrSlow
	case s.isLarge():
		s.err = ErrLarge
	}
	if s.err != nil {
		return 0, s.err
	}
	return s.Reader.ReadAt(b, at)
}

// isLarge reports whether the heap has grown by more than s.most, after a
// garbage collection. It looks once in a millisecond at most, because that stops all
// goroutines for a moment. (Package runtime/metrics does not, but takes memory at
// every start of the program.)
func (s *source) isLarge() bool {
	if time.Since(s.looked) < time.Millisecond {
		return false
	}
	s.looked = time.Now()
	if s.look == 0 {
		s.look = s.start + s.most
	}
	if heap() <= s.look {
		return false
	}
	runtime.GC()
	now := heap()
	s.look = now + s.most/2
	return now > s.start+s.most
}

// heap returns the size of the objects on the heap in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// check rejects a file that would make the library allocate without bound before
// its first read: by the number of objects, the width of a record, or stacked
// filters.
func check(body []byte) error {
	const gap = `(?:[\x00\s]|%[^\r\n]*[\r\n])*`
	const number = `([+-]?[0-9]+)`
	for _, pattern := range []string{`/Size` + gap + number, `/Columns` + gap + number} {
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(body, -1) {
			if tooMany(m[1]) {
				return ErrLarge
			}
		}
	}
	digits := regexp.MustCompile(`[0-9]+`)
	for _, pattern := range []string{`/(?:Index|W)` + gap + `\[[^\]]*`, `xref` + gap + `[0-9][^t]*`} {
		for _, m := range regexp.MustCompile(pattern).FindAll(body, -1) {
			for _, n := range digits.FindAll(m, -1) {
				if tooMany(n) && !(pattern[0] == 'x' && len(n) == 10 && !tooLong(n, len(body))) {
					return ErrLarge
				}
			}
		}
	}
	reference := `[0-9]+` + gap + `[0-9]+` + gap + `R`
	for _, pattern := range []string{
		`/(?:Filter|DecodeParms)` + gap + `(?:\[[^\]]*)?` + reference,
		`/Filter` + gap + `\[[^\]]*Flate[^\]]*Flate`,
		`/[A-Za-z#0-9]*#[0-9A-Fa-f]{2}[A-Za-z#0-9]*` + gap + `[\[0-9+]`, // a key with an escaped name
	} {
		if regexp.MustCompile(pattern).Match(body) {
			return ErrLarge
		}
	}
	return nil
}

// tooMany reports whether a number exceeds the limit of objects.
func tooMany(n []byte) bool {
	v, err := strconv.ParseInt(string(n), 10, 64)
	return err != nil || v > maxObjects
}

// tooLong reports whether a number points beyond the end of the file.
func tooLong(n []byte, size int) bool {
	v, err := strconv.ParseInt(string(n), 10, 64)
	return err != nil || v > int64(size)
}

var _ io.ReaderAt = (*source)(nil)
