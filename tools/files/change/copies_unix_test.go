//go:build unix

package change_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/edit"
	"techo/tools/files/filestest"
	"techo/tools/files/paths"
)

// TestCopyKept undoes a write in place that was killed halfway, with the copy beside the
// file or in the store.
func TestCopyKept(t *testing.T) {
	for _, beside := range []bool{true, false} {
		dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "store")
		env := filestest.AddStore(t, filestest.FreeEnv(dir)) // with roots, a file with two names is refused
		filestest.Check(t, os.MkdirAll(kept, 0o700))
		env.Where = func() (string, error) { return kept, nil }
		path := filepath.Join(dir, "f")
		filestest.Linked(t, path, "the old content")
		out, err := filestest.Call[edit.WriteOut](t.Context(), edit.Write, env,
			edit.WriteIn{Path: "f", Content: "another text"})
		filestest.Check(t, err)
		if len(out.Notes) != 1 || !slices.Equal(filestest.Names(t, dir), []string{"f", "f.other"}) {
			t.Fatalf("%+v, files %q", out, filestest.Names(t, dir))
		}
		f, err := paths.OpenFile(t.Context(), env, "f", false)
		filestest.Check(t, err)
		defer f.Close()
		content := []byte("the old content")
		if beside {
			filestest.Check(t, change.KeepCopy(env, f, content))
		} else {
			filestest.Check(t, change.CopyInStore(env, f, content))
		}
		filestest.Check(t, os.WriteFile(path, []byte("another content"), 0o644)) // half of it
		_, err = filestest.Call[edit.UndoOut](t.Context(), edit.Undo, env, edit.UndoIn{})
		filestest.Check(t, err)
		if got, _ := os.ReadFile(path + ".other"); string(got) != string(content) {
			t.Errorf("beside %v: %q", beside, got)
		}
		if !slices.Equal(filestest.Names(t, dir), []string{"f", "f.other"}) {
			t.Errorf("beside %v: files %q", beside, filestest.Names(t, dir))
		}
		if !beside && len(filestest.Names(t, filepath.Join(kept, change.CopiesFolder))) > 0 {
			t.Error("the copy in the store was not removed")
		}
	}
}

// TestCopyWrong does not use a copy with another content.
func TestCopyWrong(t *testing.T) {
	dir := t.TempDir()
	env := filestest.AddStore(t, filestest.FreeEnv(dir))
	path := filepath.Join(dir, "f")
	filestest.Linked(t, path, "the old content")
	_, err := filestest.Call[edit.WriteOut](t.Context(), edit.Write, env, edit.WriteIn{Path: "f", Content: "new"})
	filestest.Check(t, err)
	filestest.Put(t, path, "by hand")
	filestest.Put(t, filepath.Join(dir, change.CopyName("f", paths.Hash([]byte("the old content")))), "planted")
	_, err = filestest.Call[edit.UndoOut](t.Context(), edit.Undo, env, edit.UndoIn{})
	if filestest.CodeOf(err) != tools.Conflict {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "by hand" {
		t.Errorf("%q", got)
	}
}
