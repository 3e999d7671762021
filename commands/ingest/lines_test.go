package ingest

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"techo/commands/readahead"
	"techo/store/kv"
)

// TestUntilFree waits for a compaction of its own process, and for no other.
func TestUntilFree(t *testing.T) {
	for pid, want := range map[int]int{os.Getpid(): 3, os.Getpid() + 1: 1} {
		calls := 0
		err := untilFree(t.Context(), func() error {
			if calls++; calls < 3 {
				return &kv.BusyError{PID: pid}
			}
			return nil
		})
		if calls != want || (err == nil) != (want == 3) {
			t.Errorf("%d calls, %v", calls, err)
		}
	}
}

// TestMaxValue reads JSON beyond the largest value.
func TestMaxValue(t *testing.T) {
	c := &lineCounter{in: strings.NewReader(strings.Repeat("a", 1<<20)), end: 1 << 10}
	if n, err := io.Copy(io.Discard, c); !errors.Is(err, readahead.ErrTooLong) || n > 1<<16 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
