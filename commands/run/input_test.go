package run

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"techo/commands/system"
	"techo/internal/testenv"
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
		if err == nil || !strings.Contains(err.Error(), "silent") {
			t.Errorf("a silent pipe: %v", err)
		}
		stop()
		time.Sleep(2 * StdinPatience) // the reader ends
	})
}

// TestSpoolStdin reads stdin into a file, and holds a piece of it.
func TestSpoolStdin(t *testing.T) {
	const size = 32 << 20
	before, most := testenv.Held(), int64(0)
	in := func(size int) *Run {
		sent := 0
		return &Run{System: system.System{Stdin: reader(func(b []byte) (int, error) {
			if sent >= size {
				return 0, io.EOF
			}
			if sent += len(b); most == 0 && sent > size/2 {
				most = testenv.Held() - before
			}
			return len(b), nil
		})}}
	}
	s, n, err := in(size).SpoolStdin(t.Context())
	if err != nil || n < size || most > 4<<20 {
		t.Fatalf("%d bytes, of which %d are held: %v", n, most, err)
	}
	if st, err := s.Stat(); err != nil || st.Size() != n || s.Close() != nil {
		t.Error(st, err)
	}
	if _, _, err := in(maxStdin + 1).SpoolStdin(t.Context()); err != errStdinTooLong {
		t.Error(err)
	}
}

type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }
