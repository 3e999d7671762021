package atomicfile

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestFull runs a child process whose files may have 100 bytes, as on a full
// disk. The write fails, the old file stays, and no temporary file is left.
func TestFull(t *testing.T) {
	const variable = "ATOMICFILE_TEST_FULL"
	if dir := os.Getenv(variable); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: 100}); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if err := Write(root, "f", []byte(strings.Repeat("x", 1000)), Options{}); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%v, want EFBIG", err)
		}
		return
	}
	root, dir := openRoot(t)
	if err := Write(root, "f", []byte("old"), Options{}); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFull$")
	child.Env = append(os.Environ(), variable+"="+dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	wantFiles(t, dir, "f=old")
}
