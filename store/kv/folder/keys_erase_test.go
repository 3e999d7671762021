package folder

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// TestCompactForgetsKeys checks that no file has a deleted key after a
// compaction, before the next write.
func TestCompactForgetsKeys(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "kept", "x", "secret", "y")
	if err := l.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete([]byte("secret")) }); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("secret")) {
			t.Errorf("%s has the key", d.Name())
		}
		return err
	})
	if err != nil || files == 0 {
		t.Error(files, err)
	}
}

// TestCompactReportsKeys puts a folder in the place of the key file, so that it
// cannot be cleared. The compaction reports it, but loses nothing.
func TestCompactReportsKeys(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	keys := filepath.Join(dir, disk.JournalKeysName)
	if err := os.Remove(keys); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(t.Context()); !errors.As(err, new(*kv.CorruptError)) {
		t.Errorf("got %v", err)
	}
	wantAll(t, l, model{"key": "value"})
	if l.journal.Number != 0 {
		t.Error("nothing was merged")
	}
}
