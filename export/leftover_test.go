package export

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLeftovers: what a writer that was killed has left goes with a later
// writing of the same file, and nothing else does.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	stays := []string{".backup", ".backup12x", ".other123", "backup123", ".backup77"}
	for _, name := range append(stays, ".backup123", ".backup4567890") {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if name == ".backup77" {
			continue // somebody may be writing it
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "backup")
	if err := writeFile(path, func(w io.Writer) error { _, err := w.Write([]byte("text")); return err }); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != len(stays)+1 {
		t.Errorf("left: %v", names)
	}
}
