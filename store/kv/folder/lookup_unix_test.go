//go:build unix

package folder

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"techo/store/kv"
)

// TestPeekedValueGone reads a value in a mapped file that was cut meanwhile, which
// Windows does not allow.
func TestPeekedValueGone(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", strings.Repeat("x", large))
	mustMerge(t, l)
	err := l.View(context.Background(), func(tx kv.Tx) error {
		value, err := kv.Peek(tx, []byte("k"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(sstOf(t, dir), 0); err != nil {
			t.Fatal(err)
		}
		t.Log(bytes.Count(value, []byte("x")))
		return nil
	})
	if !errors.As(err, new(*kv.CorruptError)) {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != "mine" {
			t.Fatal(r)
		}
	}()
	_ = l.View(context.Background(), func(kv.Tx) error { panic("mine") })
}
