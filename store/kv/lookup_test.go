package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestLookups looks up keys that tables have and keys beside them, in any order.
func TestLookups(t *testing.T) {
	r := testenv.Random(t)
	l := openStore(t, t.TempDir())
	want := model{}
	for range 3 {
		var pairs []string
		for range 400 {
			key := strings.Repeat("k", r.IntN(20)) + fmt.Sprint(r.IntN(3000))
			want[key] = noise(r, r.IntN(3000))
			pairs = append(pairs, key, want[key])
		}
		mustPut(t, l, pairs...)
		mustMerge(t, l)
	}
	var keys []string
	for key := range want {
		keys = append(keys, key, key+"0", key[:len(key)-1], key+"\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	err := l.View(context.Background(), func(tx Tx) error {
		for _, key := range keys {
			value, has := want[key]
			for _, read := range []func([]byte) ([]byte, error){tx.Get, tx.(Peeker).Peek} {
				got, err := read([]byte(key))
				if (err == nil) != has || string(got) != value || err != nil && !errors.Is(err, ErrNotFound) {
					t.Fatalf("key %q: %d bytes, %v; want %d bytes, %v", key, len(got), err, len(value), has)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPeekedValueGone reads a value in a mapped file that was cut meanwhile.
func TestPeekedValueGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files cannot be cut")
	}
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", strings.Repeat("x", large))
	mustMerge(t, l)
	err := l.View(context.Background(), func(tx Tx) error {
		value, err := Peek(tx, []byte("k"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(sstOf(t, dir), 0); err != nil {
			t.Fatal(err)
		}
		t.Log(bytes.Count(value, []byte("x")))
		return nil
	})
	if !errors.As(err, new(*CorruptError)) {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != "mine" {
			t.Fatal(r)
		}
	}()
	_ = l.View(context.Background(), func(Tx) error { panic("mine") })
}
