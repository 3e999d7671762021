package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForbiddenFirst checks that a path outside the roots is forbidden, whatever
// else is wrong with the input.
func TestForbiddenFirst(t *testing.T) {
	w := newWorld(t)
	root := filepath.Join(w.dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fs", "read", "x", "--limit", "0", "--colour", "red"},
		{"fs", "edit", "x"},
		{"fs", "edit", "x", "", ""},
		{"fs", "edit", "--batch", `[{"path":"root/missing","old_string":"a","new_string":"b"},{"path":"x"}]`},
		{"fs", "write", "x"},
		{"fs", "undo", "x", "y"},
		{"grep", "(", "x", "--max-results", "0"},
		{"fs", "glob", "*", "x", "--limit", "-1"},
		{"call", "edit_file", `{"path":"x","old_string":5}`},
		{"call", "edit_file", `{"batch":[{"path":"root/missing","old_string":"a","new_string":"b"},` +
			`{"path":"x","old_string":"a","new_string":"b"}]}`},
	} {
		if a := w.feed("", append(args, "--root", root)...); a.code != 4 ||
			!strings.HasPrefix(a.out, `{"error":{"code":"forbidden"`) {
			t.Errorf("%q: %d %s", args, a.code, a.out)
		}
	}
	w.noStore()
}
