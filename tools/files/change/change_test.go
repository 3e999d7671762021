package change

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"techo/tools"
	"techo/tools/files/paths"
)

// TestEditBatchReverts makes one change of a batch fail at commit, and expects the
// others to be reverted.
func TestEditBatchReverts(t *testing.T) {
	dir := t.TempDir()
	env := freeEnv(dir) // with roots, a file with two names is refused
	ctx := context.Background()
	for _, inPlace := range []bool{false, true} {
		var all []*Change
		for i, name := range []string{"a", "b", "c"} {
			path := put(t, filepath.Join(dir, name), "old "+name)
			if inPlace && i == 0 {
				check(t, os.Link(path, filepath.Join(dir, "hard")))
			}
			f, err := paths.OpenFile(ctx, env, path, true)
			check(t, err)
			all = append(all, &Change{File: f, Before: []byte("old " + name), After: []byte("new " + name)})
		}
		put(t, filepath.Join(dir, "c"), "somebody else's")
		err := Apply(env, all)
		if e := new(tools.Error); !errors.As(err, &e) || e.Code != tools.Conflict || !e.Retryable {
			t.Errorf("%v", err)
		}
		for _, c := range all {
			c.Close()
		}
		for name, want := range map[string]string{"a": "old a", "b": "old b", "c": "somebody else's"} {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
				t.Errorf("%s holds %q, %v", name, got, err)
			}
		}
		if names, _ := os.ReadDir(dir); len(names) > 4 {
			t.Errorf("left behind: %v", names)
		}
	}
}
