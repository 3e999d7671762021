package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"techo/internal/confine"
	"testing"
	"time"
)

// TestStagesOnly removes the leftovers of techo, and no similar names.
func TestStagesOnly(t *testing.T) {
	dir := t.TempDir()
	stays := []string{".techo-export-thesis.tmp/thesis.docx", ".techo-export-1-x.tmp/f", ".techo-export-1-2.tmp.d/f",
		".techo-export-.tmp", ".techo-export-1-3.tmp/deep/f"}
	goes := []string{".techo-export-1-2.tmp/a.md", ".techo-export-3-4.tmp"}
	for _, name := range append(stays, goes...) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := openRoot(confine.Place{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	f.close()
	for _, name := range stays {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range goes {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// TestTargetSweeps removes the temporary file of a killed run, and replaces an
// existing file only on request.
func TestTargetSweeps(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "."+tempPrefix+"123")
	long := time.Now().Add(-2 * tempAge)
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.Chtimes(left, long, long)); err != nil {
		t.Fatal(err)
	}
	for _, over := range []bool{false, true} {
		target, err := NewTarget(nil, filepath.Join(dir, "page.md"), over, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Write([]byte("text")); err != nil {
			t.Error(err)
		}
		target.Close()
	}
	if _, err := NewTarget(nil, filepath.Join(dir, "page.md"), false, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file of the name: %v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left: %v, %v", names, err)
	}
}
