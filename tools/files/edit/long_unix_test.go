//go:build unix

package edit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/confine"
	"techo/tools"
	"techo/tools/files/filestest"
	"techo/tools/files/search"
)

// TestLongPaths finds, reads, edits and creates a file whose path is longer than
// the system accepts.
func TestLongPaths(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	element := strings.Repeat("n", 200)
	below := strings.TrimSuffix(strings.Repeat(element+"/", 40), "/")
	at, err := os.OpenRoot(base)
	check(t, err)
	defer at.Close()
	check(t, at.MkdirAll(below, 0o755))
	check(t, at.WriteFile(below+"/leaf.txt", []byte("hello\n"), 0o644))
	t.Cleanup(func() { at.RemoveAll(element) })
	for _, roots := range [][]string{nil, {base}} {
		env := confined(t, base, roots...)
		find := func(in search.GrepIn) search.GrepOut {
			out, err := filestest.Call[search.GrepOut](t.Context(), search.Grep, env, in)
			check(t, err)
			return out
		}
		found := find(search.GrepIn{Pattern: "hello", Path: ".", Limit: 5})
		if found.Count != 1 {
			t.Fatalf("%+v", found)
		}
		path := found.Matches[0].Path
		if text, err := readText(env, path); err != nil || text != "hello\n" {
			t.Errorf("%q, %v", text, err)
		}
		_, err := edit(env, replace(path, "hello", "bye"))
		check(t, err)
		_, err = edit(env, replace(path, "bye", "hello"))
		check(t, err)
		if out := find(search.GrepIn{Pattern: "hello", Path: filepath.Dir(path), Limit: 5}); out.Count != 1 {
			t.Errorf("%+v", out)
		}
		if out := find(search.GrepIn{Pattern: "hello", Path: path, Limit: 5}); out.Count != 1 {
			t.Errorf("%+v", out)
		}
		_, err = writeFile(t.Context(), env, WriteIn{Path: filepath.Dir(path) + "/new.txt", Content: "x"})
		check(t, err)
		check(t, at.Remove(below+"/new.txt"))
		if _, err := readText(env, path+"x"); codeOf(err) != tools.NotFound {
			t.Error(err)
		}
	}
	check(t, at.Symlink("/", below+"/out"))
	env := confined(t, base, base)
	if _, err := readText(env, filepath.Join(base, below, "out/etc/hostname")); err == nil {
		t.Error("a link at the end of a long path leads out of the root")
	}
	if _, err := confine.Follow(filepath.Join(base, below, "out")); err == nil {
		t.Error("a link in a long path is followed")
	}
}
