//go:build unix

package patch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/files/edit"
	"techo/tools/files/filestest"
)

// TestPatchModes changes modes as git does, beside changes of the content and without, and
// undoes that.
func TestPatchModes(t *testing.T) {
	const head = "diff --git a/f b/f\n"
	for _, test := range []struct {
		name, patch, path string
		before, after     fs.FileMode
		text              string
	}{
		{"on", head + "old mode 100644\nnew mode 100755\n", "f", 0o640, 0o750, "one\n"},
		{"off", head + "old mode 100755\nnew mode 100644\n", "f", 0o755, 0o644, "one\n"},
		{"already", head + "old mode 100644\nnew mode 100755\n", "f", 0o755, 0o755, "one\n"},
		{"with a hunk", head +
			"old mode 100644\nnew mode 100755\nindex 1..2\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n",
			"f", 0o600, 0o700, "two\n"},
		{"with a renaming", head[:len(head)-2] + "g\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n" +
			"rename from f\nrename to g\n", "g", 0o644, 0o755, "one\n"},
		{"without prefixes", "diff --git f f\nold mode 100644\nnew mode 100755\n", "f", 0o644, 0o755, "one\n"},
		{"quoted", "diff --git \"a/f\" \"b/f\"\nold mode 100644\nnew mode 100755\n", "f", 0o644, 0o755, "one\n"},
		{"private", head + "old mode 100644\nnew mode 100600\n", "f", 0o755, 0o644, "one\n"},
		{"set-uid", head + "old mode 100644\nnew mode 104755\n", "f", 0o640, 0o750, "one\n"},
		{"read-only", head + "old mode 100644\nnew mode 100755\n", "f", 0o444, 0o555, "one\n"},
		{"before another file", head + "old mode 100644\nnew mode 100755\ndiff --git a/n b/n\nnew file mode 100755\n",
			"f", 0o644, 0o755, "one\n"},
	} {
		dir := putFiles(t, map[string]string{"f": "one\n"})
		path := filepath.Join(dir, "f")
		check(t, os.Chmod(path, test.before))
		env := filestest.WithStore(t, dir)
		out, err := applyPatch(t.Context(), env, In{Patch: test.patch})
		check(t, err)
		mode := func(path string) fs.FileMode {
			info, err := os.Stat(filepath.Join(dir, path))
			check(t, err)
			return info.Mode()
		}
		if got := mode(test.path); got != test.after || contents(t,
			dir)[test.path] != test.text || out.Files[0].Mode == "" {
			t.Errorf("%s: %v, %+v", test.name, got, out)
		}
		if noted := test.name == "private" || test.name == "set-uid"; noted != (len(out.Notes) > 0) {
			t.Errorf("%s: notes %q", test.name, out.Notes)
		}
		if test.name == "before another file" && mode("n")&0o100 == 0 {
			t.Errorf("the new file: %v", mode("n"))
		}
		if test.name == "already" {
			if out.Undoable || !strings.HasPrefix(out.Message, "Nothing to change") {
				t.Errorf("%+v", out)
			}
			continue
		}
		_, err = filestest.Call[edit.UndoOut](t.Context(), edit.Undo, env, edit.UndoIn{})
		check(t, err)
		if got := mode("f"); got != test.before || contents(t, dir)["f"] != "one\n" {
			t.Errorf("%s undone: %v", test.name, got)
		}
	}
}

// TestPatchModesRefused has modes that are none of a regular file, and a patch that fails after
// a change of a mode.
func TestPatchModesRefused(t *testing.T) {
	dir := putFiles(t, map[string]string{"f": "one\n", "g": "one\n"})
	const head = "diff --git a/f b/f\nold mode 100644\nnew mode "
	for text, want := range map[string]tools.Code{
		head + "120000\n": tools.InvalidInput,
		head + "160000\n": tools.InvalidInput,
		head + "755\n":    tools.InvalidInput,
		"diff --git a/l b/l\nnew file mode 120000\n":             tools.InvalidInput,
		"diff --git a/f b/g\nold mode 100644\nnew mode 100755\n": tools.InvalidInput,
		head + "100755\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n": tools.NotFound,
		"diff --git a/h b/h\nold mode 100644\nnew mode 100755\n": tools.NotFound,
		"diff --git ":                   tools.InvalidInput,
		"diff --git x\nnew mode 100755": tools.InvalidInput,
	} {
		if _, err := patch(dir, text); codeOf(err) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || info.Mode()&0o111 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
