package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
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
			got, err := tx.Get([]byte(key))
			if (err == nil) != has || string(got) != value || err != nil && !errors.Is(err, ErrNotFound) {
				t.Fatalf("key %q: %d bytes, %v; want %d bytes, %v", key, len(got), err, len(value), has)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLookupsInDamagedIndex changes bytes of the index of a table. A lookup finds the value
// all the same or reports the damage; it never says that a key is missing.
func TestLookupsInDamagedIndex(t *testing.T) {
	r := testenv.Random(t)
	dir := t.TempDir()
	l := openStore(t, dir)
	var pairs []string
	for i := range 100 {
		pairs = append(pairs, fmt.Sprintf("key%02d", i), strings.Repeat("x", 300))
	}
	mustPut(t, l, pairs...)
	mustMerge(t, l)
	tables, err := l.openedTables()
	if err != nil {
		t.Fatal(err)
	}
	file, name := tables.runs[0][0], sstOf(t, dir)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for at := int(file.tail); at < len(whole); at++ {
		bad := bytes.Clone(whole)
		bad[at] ^= byte(1 + r.IntN(255))
		writeFile(t, name, string(bad))
		l := openStore(t, dir)
		for _, key := range []string{"key00", "key57", "key99"} {
			value, err := getValue(l, key)
			if err == nil && value == pairs[1] {
				found++
			} else if !isCorrupt(err) {
				t.Fatalf("byte %d: %s: %q, %v", at, key, value, err)
			}
		}
		for range 2 {
			if value, err := getValue(l, "key5"); !isCorrupt(err) {
				t.Fatalf("byte %d: a key that is not there: %q, %v", at, value, err)
			}
		}
	}
	if found == 0 {
		t.Error("no lookup found a value")
	}
}
