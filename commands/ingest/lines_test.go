package ingest

import (
	"encoding/json"
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

// TestTextSize counts a text that is longer than what is kept, and none that is not.
func TestTextSize(t *testing.T) {
	for text, want := range map[string]textSize{`""`: 0, `"été"`: 5, `"a\"\\\u00e9\n"`: 5, "12345": 0, `["abc"]`: 0} {
		var n textSize
		if err := json.Unmarshal([]byte(text), &n); err != nil || n != want {
			t.Errorf("%s has %d bytes, want %d; %v", text, n, want, err)
		}
	}
}
