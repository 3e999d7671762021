//go:build unix

package change

import (
	"os"
	"path/filepath"
	"testing"

	"techo/tools/files/filestest"
	"techo/tools/files/paths"
)

// TestRevertKeepsModes makes changes; the last one fails. The others are taken back with their
// modes.
func TestRevertKeepsModes(t *testing.T) {
	dir := filestest.PutFiles(t, map[string]string{"mode": "text", "gone": "text", "last": "text"})
	env := filestest.Env(dir)
	var all []*Change
	for _, name := range []string{"mode", "gone", "last"} {
		check(t, os.Chmod(filepath.Join(dir, name), 0o640))
		f, err := paths.OpenFile(t.Context(), env, name, true)
		check(t, err)
		defer f.Close()
		all = append(all, &Change{File: f, Before: []byte("text"), After: []byte("other")})
	}
	all[0].Mode.Execution, all[1].Remove = executable, true
	check(t, os.Rename(filepath.Join(dir, "last"), filepath.Join(dir, "elsewhere")))
	if err := Apply(env, all); err == nil {
		t.Error("nothing failed")
	}
	for _, name := range []string{"mode", "gone"} {
		info, err := os.Stat(filepath.Join(dir, name))
		check(t, err)
		if info.Mode() != 0o640 || filestest.Contents(t, dir)[name] != "text" {
			t.Errorf("%s: %v, %q", name, info.Mode(), filestest.Contents(t, dir)[name])
		}
	}
}
