package edit

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"techo/store/ledger"
	"techo/tools"
	"techo/tools/files/read"
)

// TestRootsParents expects parent folders to be created within the roots only.
func TestRootsParents(t *testing.T) {
	base := t.TempDir()
	in := filepath.Join(base, "in")
	check(t, os.Mkdir(in, 0o755))
	put(t, filepath.Join(in, "file"), "x")
	link(t, base, filepath.Join(in, "out"))
	link(t, ".", filepath.Join(in, "here"))
	for _, env := range []*tools.Env{confined(t, in, in), confined(t, in)} {
		roots, err := env.Roots()
		check(t, err)
		for path, want := range map[string]tools.Code{
			"a/b/c.txt": "", "a/b/d.txt": "", "./e": "", "here/f/g": "", "file/x": tools.NotFound,
			"file/x/y":   tools.NotFound,
			"out/made/x": tools.Forbidden, "../made/x": tools.Forbidden, "a/../../made/x": tools.Forbidden,
		} {
			if want == tools.Forbidden && len(roots) == 0 {
				continue
			}
			_, err := writeFile(context.Background(), env, WriteIn{Path: path, Content: "x", Parents: true})
			if codeOf(err) != want || want == "" && err != nil {
				t.Errorf("%s: %v, want %q", path, err, want)
			}
		}
		if _, err := os.Stat(filepath.Join(in, "f/g")); err != nil {
			t.Error(err)
		}
		if names, _ := os.ReadDir(base); len(names) != 1 {
			t.Errorf("made outside: %v", names)
		}
		check(t, os.RemoveAll(filepath.Join(in, "a")))
	}
}

// TestStoreIsLeftAlone expects write tools to refuse the files of the store, also
// through links, but not other files in its folder.
func TestStoreIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	where := filepath.Join(dir, "notes")
	env.Where = func() (string, error) { return where, nil }
	if _, err := writeFile(t.Context(), env, WriteIn{Path: "journal", Content: "x"}); err != nil {
		t.Fatal(err) // no store yet
	}
	check(t, os.MkdirAll(filepath.Join(where, "tables"), 0o700))
	check(t, os.Symlink(where, filepath.Join(dir, "link")))
	for _, path := range []string{"notes/journal", "link/journal", "notes/tables/000001.sst", "notes/lock",
		"notes/queue", "notes/tables/new/x"} {
		_, err := writeFile(t.Context(), env, WriteIn{Path: path, Content: "x", Parents: true})
		if codeOf(err) != tools.Forbidden {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
			t.Errorf("%s is there", path)
		}
	}
	journal := put(t, filepath.Join(where, "journal"), "old")
	if _, err := edit(env, replace("notes/journal", "old", "new")); codeOf(err) != tools.Forbidden {
		t.Errorf("edit: %v", err)
	}
	if got, _ := os.ReadFile(journal); string(got) != "old" {
		t.Errorf("%q", got)
	}
	if _, err := writeFile(t.Context(), env, WriteIn{Path: "notes/.gitignore", Content: "*\n"}); err != nil {
		t.Error(err)
	}
	if _, err := readFile(t.Context(), env, read.In{Path: "notes/journal", Offset: 1, Limit: 1}); err != nil {
		t.Error(err)
	}
}

// TestVisibleOnce expects each file of the changes to be looked at once, and none without roots.
func TestVisibleOnce(t *testing.T) {
	base := t.TempDir()
	in := filepath.Join(base, "in")
	check(t, os.Mkdir(in, 0o755))
	if (History{}).Visible(confined(t, in)) != nil {
		t.Error("files are looked at without roots")
	}
	env := confined(t, in, in)
	looks, roots := 0, env.Roots
	env.Roots = func() ([]*os.Root, error) {
		looks++
		return roots()
	}
	visible := History{}.Visible(env)
	looks = 0
	for range 3 {
		for name, want := range map[string]bool{"in/a": true, "b": false} {
			c := ledger.Change{Records: []ledger.ChangedRecord{{Kind: ledger.KindFile, ID: filepath.Join(base, name)}}}
			if visible(c) != want {
				t.Errorf("%s: %v", name, !want)
			}
		}
	}
	if looks != 2 {
		t.Errorf("looked %d times", looks)
	}
}
