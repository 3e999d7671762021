//go:build unix

package patch

import (
	"fmt"
	"io/fs"
	"maps"
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

// TestPatchThroughLink makes a folder of a link that leads to a folder with the same names, and the reverse:
// nothing is written, or missed, behind the link. The undo brings back what was there.
func TestPatchThroughLink(t *testing.T) {
	const link = "diff --git a/l b/l\n%s file mode 120000\n--- %s\n+++ %s\n@@ -%s +%s @@\n%smod\n\\ No newline at end of file\n"
	out := fmt.Sprintf(link, "deleted", "a/l", "/dev/null", "1", "0,0", "-")
	in := fmt.Sprintf(link, "new", "/dev/null", "b/l", "0,0", "1", "+")
	const file = "diff --git a/l/%[1]s b/l/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/l/%[1]s\n@@ -0,0 +1 @@\n+new\n"
	for _, test := range []struct {
		name, patch string
		want        map[string]string
	}{
		{"a new file in a folder of the same name", out + fmt.Sprintf(file, "sub/n"), map[string]string{"l/sub/n": "new\n"}},
		{"a file of the same name", out + fmt.Sprintf(file, "sub/x"), map[string]string{"l/sub/x": "new\n"}},
		{"a file with the name of a folder", out + fmt.Sprintf(file, "sub"), map[string]string{"l/sub": "new\n"}},
	} {
		dir := putFiles(t, map[string]string{"mod/sub/x": "old\n"})
		check(t, os.Symlink("mod", filepath.Join(dir, "l")))
		env := filestest.WithStore(t, dir)
		if _, err := applyPatch(t.Context(), env, In{Patch: test.patch, Parents: true}); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		test.want["mod/sub/x"] = "old\n"
		if got := contents(t, dir); !maps.Equal(got, test.want) {
			t.Errorf("%s: %q", test.name, got)
		}
		_, err := filestest.Call[edit.UndoOut](t.Context(), edit.Undo, env, edit.UndoIn{})
		check(t, err)
		if to, err := os.Readlink(filepath.Join(dir, "l")); err != nil || to != "mod" {
			t.Errorf("%s: undone %q, %v", test.name, to, err)
		}
	}
	dir := putFiles(t, map[string]string{"mod/sub/x": "old\n", "l/sub/y": "y\n"})
	env := filestest.WithStore(t, dir)
	_, err := applyPatch(t.Context(), env, In{Patch: in +
		"diff --git a/l/sub/y b/l/sub/y\ndeleted file mode 100644\n--- a/l/sub/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n"})
	check(t, err)
	_, err = filestest.Call[edit.UndoOut](t.Context(), edit.Undo, env, edit.UndoIn{})
	check(t, err)
	if got := contents(t, dir); !maps.Equal(got, map[string]string{"mod/sub/x": "old\n", "l/sub/y": "y\n"}) {
		t.Errorf("undone: %q", got)
	}
}
