package pg

import (
	"fmt"
	"testing"

	"techo/store/kv"
)

// TestKept: an engine keeps what was committed, and no more than it may.
func TestKept(t *testing.T) {
	e := &Engine{}
	pairs := []kv.Pair{{Key: []byte("k"), Value: make([]byte, mostKept/4)}}
	(&tx{engine: e, mode: modeUpdate}).Keep([]byte("update"), "1", pairs)
	view := &tx{engine: e, mode: modeView}
	view.Keep([]byte("large"), "1", append(pairs, pairs[0], pairs[0], pairs[0]))
	for _, key := range []string{"update", "large"} {
		if _, kept := view.Kept([]byte(key)); kept != nil {
			t.Error(key, "is kept")
		}
	}
	for i := range 10 {
		key := fmt.Appendf(nil, "key %d", i)
		for _, state := range []string{"1", "2"} {
			view.Keep(key, state, pairs)
			if is, kept := view.Kept(key); is != state || len(kept) != 1 {
				t.Errorf("%s: %d pairs of state %q", key, len(kept), is)
			}
		}
		if held := len(e.kept.all) * (mostKept/4 + 1); held > mostKept || e.kept.bytes != held {
			t.Fatalf("%d bytes are held, %d counted", held, e.kept.bytes)
		}
	}
}
