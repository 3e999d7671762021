//go:build unix

package files

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRevertKeepsModes makes changes; the last one fails. The others are taken back with their
// modes.
func TestRevertKeepsModes(t *testing.T) {
	dir := putFiles(t, map[string]string{"mode": "text", "gone": "text", "last": "text"})
	env := testEnv(dir)
	var all []*change
	for _, name := range []string{"mode", "gone", "last"} {
		check(t, os.Chmod(filepath.Join(dir, name), 0o640))
		f, err := openFile(t.Context(), env, name, true)
		check(t, err)
		defer f.close()
		all = append(all, &change{file: f, before: []byte("text"), after: []byte("other")})
	}
	all[0].mode.execution, all[1].remove = executable, true
	check(t, os.Rename(filepath.Join(dir, "last"), filepath.Join(dir, "elsewhere")))
	if err := apply(env, all); err == nil {
		t.Error("nothing failed")
	}
	for _, name := range []string{"mode", "gone"} {
		info, err := os.Stat(filepath.Join(dir, name))
		check(t, err)
		if info.Mode() != 0o640 || contents(t, dir)[name] != "text" {
			t.Errorf("%s: %v, %q", name, info.Mode(), contents(t, dir)[name])
		}
	}
}
