package ingest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"techo/commands/readahead"
)

// TestMaxValue reads JSON beyond the largest value.
func TestMaxValue(t *testing.T) {
	c := &lineCounter{in: strings.NewReader(strings.Repeat("a", 1<<20)), end: 1 << 10}
	if n, err := io.Copy(io.Discard, c); !errors.Is(err, readahead.ErrTooLong) || n > 1<<16 {
		t.Errorf("%d bytes, %v", n, err)
	}
}
