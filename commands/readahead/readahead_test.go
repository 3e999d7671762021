package readahead

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"techo/internal/membudget"
)

// TestReadAhead checks that no more bytes are read ahead than there is room for,
// however few lines these are.
func TestReadAhead(t *testing.T) {
	a := New(512, 0)
	a.room = membudget.New(1 << 20)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- a.Run(ctx, strings.NewReader(strings.Repeat(strings.Repeat("x", 360<<10)+"\n", 12)))
	}()
	var held []Read
	for range 2 { // more do not fit
		held = append(held, <-a.Lines)
	}
	select {
	case l := <-a.Lines:
		t.Errorf("%d bytes more", len(l.Text))
	case <-time.After(50 * time.Millisecond):
	}
	for n := 2; n < 12; n++ {
		held[0].Free()
		held = append(held[1:], <-a.Lines)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestReadAheadPatience checks that a line is sent without room after a while,
// since the call that holds the memory may wait for that line.
func TestReadAheadPatience(t *testing.T) {
	a := New(64, 10*time.Millisecond)
	a.room = membudget.New(1)
	go func() { _ = a.Run(t.Context(), strings.NewReader("call\nanswer to it\n")) }()
	if first, second := <-a.Lines, <-a.Lines; string(first.Text) != "call\n" ||
		string(second.Text) != "answer to it\n" {
		t.Errorf("%q %q", first.Text, second.Text)
	}
}

// TestLine reads lines of all sizes, with and without a buffer's worth of text after them.
func TestLine(t *testing.T) {
	for _, size := range []int{1, 64 << 10, reserveFrom, reserveFrom + 1, MaxLine / 2, MaxLine, MaxLine + 1} {
		in := bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", size-1)+"\nnext"), 64<<10)
		l, err := Line(in)
		if long := size > MaxLine; long != errors.Is(err, ErrTooLong) || !long && (err != nil || len(l) != size) {
			t.Errorf("a line of %d bytes: %d, %v", size, len(l), err)
		}
		if l, err = Line(in); string(l) != "next" || err != io.EOF {
			t.Errorf("after a line of %d bytes: %.10q, %v", size, l, err)
		}
	}
}
