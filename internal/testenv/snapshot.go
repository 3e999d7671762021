package testenv

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Snapshot returns a description of everything below a folder: paths, modes,
// targets of links and contents, and times if wanted.
func Snapshot(t testing.TB, dir string, times bool) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(path) // none of a folder
		to, _ := os.Readlink(path)
		fmt.Fprintf(&b, "%s %v %q %x", path, st.Mode(), to, data)
		if times {
			fmt.Fprintf(&b, " %v", st.ModTime())
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
