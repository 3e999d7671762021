package folder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/sst"
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

// TestFirstOfStretch reads blocks of a table: the first one of a stretch is read into
// memory, its neighbours and large blocks are mapped.
func TestFirstOfStretch(t *testing.T) {
	l := openStore(t, t.TempDir())
	pairs := []string{"z", strings.Repeat("z", 4*sst.Stretch)}
	for i := range 50 {
		pairs = append(pairs, fmt.Sprintf("k%02d", i), strings.Repeat("v", 4<<10))
	}
	mustPut(t, l, pairs...)
	mustMerge(t, l)
	err := l.View(context.Background(), func(tx kv.Tx) error {
		for _, c := range []struct {
			key    string
			mapped bool
		}{{"k00", false}, {"k00", true}, {"k01", true}, {"k40", false}, {"k41", true}, {"z", true}} {
			value, err := kv.Peek(tx, []byte(c.key))
			if err != nil {
				return err
			}
			address := uintptr(unsafe.Pointer(unsafe.SliceData(value)))
			if mapped := tx.(*localTx).tables.mapping(address) != ""; mapped != c.mapped {
				t.Errorf("value of %s: mapped %v", c.key, mapped)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
