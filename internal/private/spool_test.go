package private

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestSpool checks that a spool has its input, and that nothing is left in the folder for temporary files.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	s, err := SpoolOf(strings.NewReader("some text"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(s); err != nil || string(got) != "some text" {
		t.Error(string(got), err)
	}
	if st, err := s.Stat(); err != nil || Modes && st.Mode().Perm()&0o077 != 0 {
		t.Error(st.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Error(left, err)
	}
}
