package run

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slowPipe is a pipe on which a byte arrives after a pause.
type slowPipe struct {
	text  string
	pause time.Duration
}

// Read waits for the pause and returns the next byte.
func (p *slowPipe) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	time.Sleep(p.pause)
	n := copy(b[:1], p.text)
	p.text = p.text[n:]
	return n, nil
}

// TestReadStdinSlow reads a pipe that is slow but never silent for too long.
func TestReadStdinSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = `{"limit":7}`
		ctx, stop := context.WithCancel(t.Context())
		got, err := readStdin(ctx, &slowPipe{text, StdinPatience - time.Second}, StdinPatience)
		if err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
		_, err = readStdin(ctx, &slowPipe{strings.Repeat("x", 3), StdinPatience + time.Second}, StdinPatience)
		if idle := new(idleError); !errors.As(err, &idle) {
			t.Errorf("a silent pipe: %v", err)
		}
		stop()
		time.Sleep(2 * StdinPatience) // the reader ends
	})
}
