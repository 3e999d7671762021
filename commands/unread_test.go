package commands

import (
	"context"
	"io"
	"testing"
	"time"
)

// unread returns a stream that is never read.
func unread(t *testing.T) io.Writer {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = r.Close() })
	return w
}

// TestUnreadAnswers checks that mcp and batch end some time after an interrupt
// when their answers are not read.
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
