package commands

import (
	"context"
	"io"
	"strings"
	"techo/commands/readahead"
	"techo/tools"
	"testing"
	"time"
)

// TestReadAhead reads no more bytes ahead than maxAhead, however few lines
// these are.
func TestReadAhead(t *testing.T) {
	a := readahead.New(512, 0)
	a.Room = tools.NewRoom(1 << 20)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- a.Run(ctx, strings.NewReader(strings.Repeat(strings.Repeat("x", 360<<10)+"\n", 12)))
	}()
	var held []readahead.Read
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

// TestReadAheadPatience goes on after some time, since the call that holds the
// memory may wait for a later line.
func TestReadAheadPatience(t *testing.T) {
	a := readahead.New(64, 10*time.Millisecond)
	a.Room = tools.NewRoom(1)
	go func() { _ = a.Run(t.Context(), strings.NewReader("call\nanswer to it\n")) }()
	if first, second := <-a.Lines, <-a.Lines; string(first.Text) != "call\n" ||
		string(second.Text) != "answer to it\n" {
		t.Errorf("%q %q", first.Text, second.Text)
	}
}

// unread is a stream of which its owner reads nothing.
func unread(t *testing.T) io.Writer {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = r.Close() })
	return w
}

// TestUnreadAnswers ends mcp and batch, some time after an interrupt, when
// nobody reads their answers.
func TestUnreadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		args  []string
	}{
		"batch": {`{"tool":"list_memo"}` + "\n", []string{"call", "--batch"}},
		"mcp":   {`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", []string{"mcp"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ctx, interrupt := context.WithCancel(t.Context())
			w.interrupt = ctx
			in, typed := io.Pipe()
			t.Cleanup(func() { _ = typed.Close() })
			ended := make(chan int, 1)
			go func() { ended <- Main(w.World(in, unread(t), io.Discard, c.args...)) }()
			for range 20 {
				if _, err := io.WriteString(typed, c.input); err != nil {
					t.Fatal(err)
				}
			}
			interrupt()
			select {
			case <-ended:
			case <-time.After(20 * time.Second):
				t.Error("it does not end")
			}
		})
	}
}
