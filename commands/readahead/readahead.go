// Package readahead reads lines ahead of their answers, within a limit of memory, and
// writes to clients that may stop reading.
package readahead

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"techo/internal/membudget"
	"techo/tools/jsontree"
)

// maxAhead limits the bytes of lines that were read but not answered.
const maxAhead = 64 << 20

// Read is one line. It occupies a part of maxAhead until Free is called.
type Read struct {
	Text []byte // nil for a line that is too long
	Free func()
}

// Reader reads lines ahead of their answers.
type Reader struct {
	Lines chan Read
	room  *membudget.Budget

	// timeout is how long a line waits for memory that earlier calls hold; 0 is
	// without limit. It must not be 0 if a call can wait for a later line.
	timeout time.Duration
}

// New returns a reader that reads at most this many lines ahead. See timeout.
func New(lines int, timeout time.Duration) *Reader {
	return &Reader{make(chan Read, lines), membudget.New(maxAhead), timeout}
}

// send waits for memory and sends a line. It reports false if the context ended
// first.
func (a *Reader) send(ctx context.Context, text []byte) bool {
	within, stop := ctx, context.CancelFunc(func() {})
	if a.timeout > 0 {
		within, stop = context.WithTimeout(ctx, a.timeout)
	}
	free, err := a.room.Wait(within, int64(cap(text)))
	stop()
	if err != nil && ctx.Err() != nil {
		return false
	} else if err != nil {
		free = func() {}
	}
	select {
	case a.Lines <- Read{text, free}:
		return true
	case <-ctx.Done():
		free()
		return false
	}
}

// Writer writes to a reader that may stop reading. When quit is closed, a blocked
// write is abandoned and later ones fail.
type Writer struct {
	out   io.Writer
	mutex chan struct{} // a mutex that can be abandoned
	quit  <-chan struct{}
}

// NewWriter returns a writer to out that gives up when quit is closed.
func NewWriter(out io.Writer, quit <-chan struct{}) *Writer {
	return &Writer{out, make(chan struct{}, 1), quit}
}

// Write writes b, which must not change afterwards.
func (w *Writer) Write(b []byte) (int, error) {
	select {
	case w.mutex <- struct{}{}:
	case <-w.quit:
		return 0, io.ErrClosedPipe
	}
	type wrote struct {
		n   int
		err error
	}
	done := make(chan wrote, 1)
	go func() {
		n, err := w.out.Write(b)
		<-w.mutex
		done <- wrote{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-w.quit:
	}
	select {
	case r := <-done:
		return r.n, r.err
	default:
		return 0, io.ErrClosedPipe
	}
}

// Shared is the memory of a line with several calls. It is freed when all are
// answered.
type Shared struct {
	mu   sync.Mutex
	Left int // unanswered calls, and one for the reader
	Free func()
}

// Share counts one more call and returns the function that ends it.
func (s *Shared) Share() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Left++
	return s.Done
}

// Done ends one call.
func (s *Shared) Done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Left--; s.Left == 0 && s.Free != nil {
		s.Free()
	}
}

// MaxLine is the maximum length of a line in bytes.
const MaxLine = 64 << 20

// ErrTooLong reports a line of more than MaxLine bytes.
var ErrTooLong = errors.New("line too long")

// Run sends each line that is not blank, without byte order marks at its start. A line that is too long is sent as nil.
func (a *Reader) Run(ctx context.Context, r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		l, err := Line(in)
		l = jsontree.WithoutBOM(l)
		if long := errors.Is(err, ErrTooLong); long || len(bytes.TrimSpace(l)) > 0 {
			if long {
				l = nil
			}
			if !a.send(ctx, l) {
				return nil
			}
		}
		if err != nil && !errors.Is(err, ErrTooLong) {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// reserveFrom is the length in bytes from which Line reserves room for the longest line. A system gives memory when it
// is first written, so the rest of that room takes none, while a slice that grows takes twice as much.
const reserveFrom = 2 << 20

// Line reads one line. It returns ErrTooLong, without keeping the text, for a
// line of more than MaxLine bytes.
func Line(in *bufio.Reader) (l []byte, err error) {
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		switch size += len(part); {
		case size > MaxLine:
			l = nil
		case size > reserveFrom && cap(l) < MaxLine:
			l = append(append(make([]byte, 0, MaxLine), l...), part...)
		default:
			l = append(l, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case size > MaxLine && (err == nil || err == io.EOF): // the next read returns EOF again
			return nil, ErrTooLong
		case size > reserveFrom && size < MaxLine/2: // what it leaves free is used again, and then it takes memory
			return bytes.Clone(l), err
		}
		return slices.Clip(l), err
	}
}
