package folder

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"techo/internal/confine"
	"techo/internal/testenv"
	"techo/store/kv"
)

// TestBackup restores what was backed up, and refuses a backup with any byte
// changed, taken away or added.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openStore(t, filepath.Join(dir, "from"))
	want := model{}
	r := rand.New(rand.NewPCG(3, 4))
	for i, size := range []int{0, 1, 100, large + 1} {
		k := fmt.Sprint("key", i)
		want[k] = noise(r, size)
		mustPut(t, l, k, want[k])
	}
	mustMerge(t, l)
	mustPut(t, l, "later", "value")
	want["later"] = "value"
	var whole bytes.Buffer
	if n, err := WriteBackup(t.Context(), l, &whole); err != nil || int(n) != len(want) {
		t.Fatalf("%d records, %v", n, err)
	}
	file := filepath.Join(dir, "backup")
	restore := func(b []byte, to string) error {
		writeFile(t, file, string(b))
		_, err := Restore(t.Context(), to, confine.Place{Path: file}, true, "")
		return err
	}
	to := filepath.Join(dir, "to")
	reader := openStore(t, to)
	mustPut(t, reader, "old", "value")
	if err := restore(whole.Bytes(), to); err != nil {
		t.Fatal(err)
	}
	wantAll(t, openStore(t, to), want)
	wantAll(t, reader, want) // a handle from before sees the new store

	spoilt := func(b []byte, what string) {
		t.Helper()
		var version *kv.VersionError
		if err := restore(b, to); !isCorrupt(err) && !errors.As(err, &version) {
			t.Errorf("%s: %v", what, err)
		}
	}
	small := whole.Bytes()
	for at := 0; at < len(small); at += 1 + len(small)/testenv.Pick(60, 200) {
		b := bytes.Clone(small)
		b[at] ^= 1 << (at % 8)
		spoilt(b, fmt.Sprint("bit flipped at ", at))
		spoilt(small[:at], fmt.Sprint("cut at ", at))
	}
	spoilt(append(bytes.Clone(small), 0), "a byte too much")
	wantAll(t, openStore(t, to), want)
	if left, _ := filepath.Glob(to + ".*"); len(left) != 1 || left[0] != to+".before-1" {
		t.Errorf("left over: %q", left)
	}
}

// FuzzBackup reads arbitrary bytes as a backup: an error, and no more memory
// than a chunk.
func FuzzBackup(f *testing.F) {
	l, err := Open(f.TempDir(), Options{Write: true})
	if err != nil {
		f.Fatal(err)
	}
	if err := l.Update(f.Context(), func(tx kv.Tx) error { return tx.Put([]byte("key"), []byte("value")) }); err != nil {
		f.Fatal(err)
	}
	var whole bytes.Buffer
	if _, err := WriteBackup(f.Context(), l, &whole); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add([]byte(backupMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := ReadBackup(bytes.NewReader(b), "fuzz", func(key, value []byte) error { return nil })
		if err == nil && !bytes.Equal(b, whole.Bytes()) && n == 1 && len(b) == whole.Len() {
			t.Logf("another whole backup: %q", b)
		}
		known := errors.As(err, new(*kv.CorruptError)) || errors.As(err, new(*kv.VersionError))
		if err != nil && n > 0 && !known {
			t.Errorf("%d records, %v", n, err)
		}
	})
}

// slowWriter does something at its first write.
type slowWriter struct {
	bytes.Buffer
	once func()
}

func (w *slowWriter) Write(b []byte) (int, error) {
	if w.once != nil {
		do := w.once
		w.once = nil
		do()
	}
	return w.Buffer.Write(b)
}

// TestBackupWhileOthersWrite writes, and merges, while a backup is under way,
// from its own handle and from another: neither waits, and the backup holds
// what was there when it began.
func TestBackupWhileOthersWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	l := openStore(t, dir)
	r := rand.New(rand.NewPCG(7, 8))
	want := model{}
	for i := range 8 {
		k := fmt.Sprint("key", i)
		want[k] = noise(r, 500_000) // more than is gathered before the first write
		mustPut(t, l, k, want[k])
		if i == 4 {
			mustMerge(t, l)
		}
	}
	w := &slowWriter{once: func() {
		for _, other := range []*Engine{openStore(t, dir), l} {
			mustPut(t, other, "key0", "changed", "new", "value")
			mustMerge(t, other)
			if err := other.Compact(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}}
	if n, err := WriteBackup(t.Context(), l, w); err != nil || int(n) != len(want) {
		t.Fatalf("%d records, %v", n, err)
	}
	got := model{}
	if _, err := ReadBackup(&w.Buffer, "backup",
		func(k, v []byte) error { got[string(k)] = string(v); return nil }); err != nil {
		t.Fatal(err)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %d bytes, want %d", k, len(got[k]), len(v))
		}
	}
	want["key0"], want["new"] = "changed", "value"
	wantAll(t, l, want)
}
