// Package readahead reads lines ahead of their answers, within a limit of memory, and
// writes to clients that may stop reading.
package readahead

import (
	"context"
	"io"
	"sync"
	"techo/tools"
	"time"
)

// maxAhead is how many bytes of lines are held between reading and answering.
const maxAhead = 64 << 20

// Read is a line that was read. It holds a part of maxAhead until free is
// called.
type Read struct {
	Text []byte // nil when it was too long
	Free func()
}

// Reader reads lines ahead of their answers.
type Reader struct {
	Lines chan Read
	Room  *tools.Room

	// patience is how long a line waits for room that calls before it hold; 0
	// is for ever. Where a call may wait for a later line, it must not be 0.
	patience time.Duration
}

func New(lines int, patience time.Duration) *Reader {
	return &Reader{make(chan Read, lines), tools.NewRoom(maxAhead), patience}
}

// send sends a line when there is room for it, and reports whether it did
// before the context ended.
func (a *Reader) send(ctx context.Context, text []byte) bool {
	within, stop := ctx, context.CancelFunc(func() {})
	if a.patience > 0 {
		within, stop = context.WithTimeout(ctx, a.patience)
	}
	free, err := a.Room.Wait(within, int64(cap(text)))
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

// Writer writes to somebody who may stop reading. A write that is
// blocked when quit is closed is left behind; those after it fail.
type Writer struct {
	out  io.Writer
	turn chan struct{} // holds the one who writes
	quit <-chan struct{}
}

func NewWriter(out io.Writer, quit <-chan struct{}) *Writer {
	return &Writer{out, make(chan struct{}, 1), quit}
}

// Write writes all of b, which must not change afterwards.
func (w *Writer) Write(b []byte) (int, error) {
	select {
	case w.turn <- struct{}{}:
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
		<-w.turn
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

// Shared is the memory of a line with several calls.
type Shared struct {
	mu   sync.Mutex
	Left int // calls that are not answered, and one for the reader
	Free func()
}

// Share returns what one call does when it is answered.
func (s *Shared) Share() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Left++
	return s.Done
}

func (s *Shared) Done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Left--; s.Left == 0 && s.Free != nil {
		s.Free()
	}
}
