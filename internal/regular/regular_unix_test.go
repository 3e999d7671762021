//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRead reads files, and refuses at once what is none or too large.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.WriteFile(in("file"), []byte("text"), 0o600), syscall.Mkfifo(in("fifo"), 0o600),
		os.Symlink("/dev/zero", in("zero")), os.WriteFile(in("huge"), nil, 0o600), os.Truncate(in("huge"), 1<<40),
		os.Symlink("fifo", in("to-fifo"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if b, err := Read(in("file"), 4); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := Read("/proc/self/cmdline", 1<<20); errors.Is(err, fs.ErrNotExist) || err == nil && len(b) > 0 {
		t.Log("a file without a size is read")
	} else {
		t.Errorf("%q, %v", b, err)
	}
	for _, name := range []string{"fifo", "zero", "to-fifo"} {
		if _, err := Read(in(name), 1<<20); !errors.Is(err, ErrNotFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"file", "huge"} {
		if _, err := Read(in(name), 3); !errors.As(err, new(*TooLargeError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
