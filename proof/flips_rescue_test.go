//go:build linux && amd64

package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lackGroups removes several files: all tables, or everything except the tables.
// The result must not look like an empty store.
func (s *rotten) lackGroups(t *testing.T) {
	groups := map[bool][]string{}
	for _, file := range s.files {
		top, _, in := strings.Cut(file, string(filepath.Separator))
		groups[in] = append(groups[in], top)
	}
	if len(groups) == 1 {
		return // one file after the other was removed already, and all of them leave no store
	}
	for in, files := range groups {
		dir := filepath.Join(t.TempDir(), "store")
		if err := copyTree(s.dir, dir); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if err := os.RemoveAll(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		if v := techo(t, dir, "store", "verify"); v.errorCode() != "corrupt" {
			t.Errorf("in a folder: %v, without %v: %v", in, files, v)
		}
		if l := s.notes.read(t, dir, "corrupt"); len(l.Wrong) > 0 {
			t.Errorf("in a folder: %v, without %v: %.1000s", in, files, l.Wrong[0])
		}
	}
}
