package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

func openRoot(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

// wantFiles compares a folder with NAME=CONTENT words.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		content := "(folder)"
		if e.Type().IsRegular() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			content = string(b)
		}
		got = append(got, e.Name()+"="+content)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrite(t *testing.T) {
	root, dir := openRoot(t)
	for _, text := range []string{"old", "new"} {
		if err := Write(root, "f", []byte(text), Options{}); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, dir, "f="+text)
	}
	if err := Write(root, "f", []byte("x"), Options{Exclusive: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("exclusive write over a file: %v", err)
	}
	if err := Write(root, "g", []byte("x"), Options{Exclusive: true}); err != nil {
		t.Error(err)
	}
	wantFiles(t, dir, "f=new", "g=x")
}

// TestWriteFails keeps the old file and leaves no temporary file when writing
// or renaming fails.
func TestWriteFails(t *testing.T) {
	root, dir := openRoot(t)
	if err := Write(root, "f", []byte("old"), Options{}); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	err := WriteFunc(root, "f", Options{}, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the new con")
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	wantFiles(t, dir, "f=old")

	if err := os.MkdirAll(filepath.Join(dir, "sub", "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, exclusive := range []bool{false, true} {
		if err := Write(root, "sub", []byte("x"), Options{Exclusive: exclusive}); err == nil {
			t.Error("a folder was replaced")
		}
		wantFiles(t, dir, "f=old", "sub=(folder)")
	}
}

// TestWriteLink replaces a planted link and leaves its target alone.
func TestWriteLink(t *testing.T) {
	root, dir := openRoot(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	testenv.Symlink(t, victim, filepath.Join(dir, "f"))
	if err := Write(root, "f", []byte("mine"), Options{}); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "f=mine")
	wantFiles(t, filepath.Dir(victim), "victim=theirs")
}

// TestSweep removes old temporary files of the same prefix and nothing else.
func TestSweep(t *testing.T) {
	root, dir := openRoot(t)
	pending, err := Create(root, "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pending.Discard()
	if !IsTemp(pending.Temp(), TempPrefix("f")) {
		t.Errorf("%s is not recognized", pending.Temp())
	}
	left := "." + TempPrefix("f") + "123"
	names := []string{left, ".f.techo-12x", ".g.techo-123", "f.techo-123", ".f.techo-"}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := WritePath(filepath.Join(dir, "f"), Options{}, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, pending.Temp()) {
		_, err := os.Lstat(filepath.Join(dir, name))
		if gone := errors.Is(err, fs.ErrNotExist); gone != (name == left) {
			t.Errorf("%s: removed %v", name, gone)
		}
	}
}

func TestTempPrefix(t *testing.T) {
	for _, name := range []string{"f", strings.Repeat("n", 255), strings.Repeat("n", maxName)} {
		root, dir := openRoot(t)
		if err := Write(root, name, []byte("x"), Options{}); err != nil {
			t.Errorf("a name of %d bytes: %v", len(name), err)
		}
		wantFiles(t, dir, name+"=x")
	}
}
