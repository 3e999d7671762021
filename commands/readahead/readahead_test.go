package readahead

import (
	"context"
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
