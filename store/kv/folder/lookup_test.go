package folder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
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
	err := l.View(context.Background(), func(tx kv.Tx) error {
		for _, key := range keys {
			value, has := want[key]
			for _, read := range []func([]byte) ([]byte, error){tx.Get, tx.(kv.Peeker).Peek} {
				got, err := read([]byte(key))
				if (err == nil) != has || string(got) != value || err != nil && !errors.Is(err, kv.ErrNotFound) {
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
