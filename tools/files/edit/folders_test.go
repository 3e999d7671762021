package edit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/files/filestest"
	"techo/tools/files/patch"
)

func foldersIn(t *testing.T, dir string) (all []string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && path != dir {
			path, err = filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(path))
		}
		return err
	}))
	return all
}

// creations are calls that create the file new/deep/f, by tool.
func creations(env *tools.Env, t *testing.T, path string, parents bool) map[string]func() ([]string, error) {
	t.Helper()
	add := "--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+x\n"
	rename := "diff --git a/old b/x\nrename from old\nrename to " + path + "\n"
	apply := func(text string) func() ([]string, error) {
		return func() ([]string, error) {
			out, err := filestest.Call[patch.Out](t.Context(), patch.Apply, env,
				patch.In{Patch: text, Parents: parents})
			return out.Folders, err
		}
	}
	return map[string]func() ([]string, error){
		"write": func() ([]string, error) {
			out, err := writeFile(t.Context(), env, WriteIn{Path: path, Content: "x", Parents: parents})
			return out.Folders, err
		},
		"move": func() ([]string, error) {
			out, err := moveFile(t.Context(), env, MoveIn{From: "old", To: path, Parents: parents})
			return out.Folders, err
		},
		"patch": apply(add), "patch that renames": apply(rename),
	}
}

// TestCreatedFolders creates files in missing folders, and undoes that, also twice.
func TestCreatedFolders(t *testing.T) {
	want := []string{"new", "new/deep"}
	for name := range creations(nil, t, "", true) {
		dir := putFiles(t, map[string]string{"old": "text\n"})
		env := withStore(t, dir)
		before := contents(t, dir)
		got, err := creations(env, t, "new/deep/f", true)[name]()
		check(t, err)
		if !slices.Equal(got, want) || !slices.Equal(foldersIn(t, dir), want) {
			t.Errorf("%s: says %q, created %q", name, got, foldersIn(t, dir))
		}
		undone, err := undoEdit(t.Context(), env, UndoIn{})
		check(t, err)
		if len(undone.Removed) != 2 || len(foldersIn(t, dir)) > 0 || !maps.Equal(contents(t, dir), before) {
			t.Errorf("%s: undo says %q, left %q", name, undone.Removed, foldersIn(t, dir))
		}
		// A folder that has something else by then stays.
		_, err = creations(env, t, "new/deep/f", true)[name]()
		check(t, err)
		put(t, filepath.Join(dir, "new/other"), "x")
		undone, err = undoEdit(t.Context(), env, UndoIn{})
		check(t, err)
		if !slices.Equal(undone.Removed, []string{"new/deep"}) || !slices.Equal(foldersIn(t, dir), []string{"new"}) {
			t.Errorf("%s: undo says %q, left %q", name, undone.Removed, foldersIn(t, dir))
		}
	}
}

// TestCreatedFoldersFail refuses calls: they leave no folder behind.
func TestCreatedFoldersFail(t *testing.T) {
	for name := range creations(nil, t, "", true) {
		dir := putFiles(t, map[string]string{"old": "text\n", "file": "x"})
		env := withStore(t, dir)
		for path, parents := range map[string]bool{"new/deep/f": false, "file/deep/f": true,
			"new/deep/" + strings.Repeat("n", 256): true} {
			_, err := creations(env, t, path, parents)[name]()
			if code := codeOf(err); code != tools.NotFound && len(path) < 200 || err == nil {
				t.Errorf("%s, %.20s: %v", name, path, err)
			}
			if left := foldersIn(t, dir); len(left) > 0 {
				t.Errorf("%s, %.20s: left %q", name, path, left)
			}
		}
	}
	dir := putFiles(t, map[string]string{"a": "one\n", "here/b": "x"})
	text := "*** Begin Patch\n*** Add File: new/f\n+x\n*** Add File: here/more/f\n+x\n*** Update File: a\n@@\n" +
		"-two\n+2\n*** End Patch\n"
	if _, err := patchFiles(testEnv(dir), text); codeOf(err) != tools.NotFound {
		t.Error(err)
	}
	if got := foldersIn(t, dir); !slices.Equal(got, []string{"here"}) {
		t.Errorf("left %q", got)
	}
	text = strings.Replace(text, "two", "one", 1)
	out, err := filestest.Call[patch.Out](t.Context(), patch.Apply, testEnv(dir),
		patch.In{Patch: text, DryRun: true, Parents: true})
	check(t, err)
	if !slices.Equal(out.Folders, []string{"new", "here/more"}) || len(foldersIn(t, dir)) != 1 {
		t.Errorf("a dry run says %q, created %q", out.Folders, foldersIn(t, dir))
	}
	moved, err := moveFile(t.Context(), testEnv(dir), MoveIn{From: "a", To: "n/m/a", DryRun: true, Parents: true})
	check(t, err)
	if !slices.Equal(moved.Folders, []string{"n", "n/m"}) || len(foldersIn(t, dir)) != 1 {
		t.Errorf("a dry run says %q, created %q", moved.Folders, foldersIn(t, dir))
	}
}

// TestUndoLeavesFolders undoes a change that someone reverted already: the folders that it had
// created stay.
func TestUndoLeavesFolders(t *testing.T) {
	dir := t.TempDir()
	env := withStore(t, dir)
	_, err := writeFile(t.Context(), env, WriteIn{Path: "new/f", Content: "x", Parents: true})
	check(t, err)
	check(t, os.Remove(filepath.Join(dir, "new/f")))
	out, err := undoEdit(t.Context(), env, UndoIn{})
	check(t, err)
	if out.Files[0].State != "unchanged" || len(out.Removed) > 0 || len(foldersIn(t, dir)) != 1 {
		t.Errorf("%+v, left %q", out, foldersIn(t, dir))
	}
}

// TestMoveIntoFolder moves to paths that a separator at their end makes folders.
func TestMoveIntoFolder(t *testing.T) {
	for _, to := range []string{"e/", "e/.", "e//", "there/", "there/deep/"} {
		dir := putFiles(t, map[string]string{"m": "m", "d/f": "f", "there/x": "x", "file": ""})
		env := withStore(t, dir)
		for from, moved := range map[string]string{"m": "m", "d": "d/f"} {
			in := MoveIn{From: from, To: to, Parents: true, DryRun: true}
			want := filepath.ToSlash(filepath.Join(to, from))
			out, err := moveFile(t.Context(), env, in)
			if check(t, err); out.To != want {
				t.Errorf("%s to %s would be %+v", from, to, out)
			}
			in.DryRun = false
			out, err = moveFile(t.Context(), env, in)
			check(t, err)
			if _, ok := contents(t, dir)[filepath.ToSlash(filepath.Join(to, moved))]; out.To != want || !ok {
				t.Errorf("%s to %s: %+v, %v", from, to, out, contents(t, dir))
			}
		}
		for to, parents := range map[string]bool{"none/": false, "file/": true} {
			_, err := moveFile(t.Context(), env, MoveIn{From: "there", To: to, Parents: parents})
			if codeOf(err) != tools.NotFound {
				t.Errorf("to %s: %v", to, err)
			}
		}
		for range 2 {
			_, err := undoEdit(t.Context(), env, UndoIn{})
			check(t, err)
		}
		if left := foldersIn(t, dir); !slices.Equal(left, []string{"d", "there"}) {
			t.Errorf("%s: undone, it left %q", to, left)
		}
	}
}
