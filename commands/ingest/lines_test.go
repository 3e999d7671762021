package ingest

import (
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"

	"techo/commands/readahead"
)

// TestBoundMemory checks that an import limits its memory, and leaves a lower limit.
func TestBoundMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(2 * memoryLimit)
	if boundMemory(); debug.SetMemoryLimit(-1) != memoryLimit {
		t.Errorf("the limit is %d bytes", debug.SetMemoryLimit(-1))
	}
	debug.SetMemoryLimit(memoryLimit / 2)
	if boundMemory(); debug.SetMemoryLimit(-1) != memoryLimit/2 {
		t.Errorf("a lower limit became %d bytes", debug.SetMemoryLimit(-1))
	}
}

// TestMaxValue reads JSON beyond the largest value.
func TestMaxValue(t *testing.T) {
	c := &lineCounter{in: strings.NewReader(strings.Repeat("a", 1<<20)), end: 1 << 10}
	if n, err := io.Copy(io.Discard, c); !errors.Is(err, readahead.ErrTooLong) || n > 1<<16 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
