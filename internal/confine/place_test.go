package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"techo/internal/testenv"
)

// TestPlace reads, writes and lists beneath a root, and leaves it by no way when a link takes the
// place of a folder after the path was checked.
func TestPlace(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(path string) string { return filepath.Join(base, filepath.FromSlash(path)) }
	for path, text := range map[string]string{"root/sub/a": "inside", "root/sub/deep/b": "too", "out/a": "secret", "out/deep/b": "too"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(in(path)), 0o700), os.WriteFile(in(path), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(in("root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	roots := []*os.Root{root}
	for _, path := range []string{"out/a", "root/../out/new", "elsewhere"} {
		if _, err := Locate(roots, in(path)); !errors.As(err, new(*OutsideError)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	places := map[string]Place{}
	for _, path := range []string{"sub", "sub/a", "sub/new", "sub/deep"} {
		if places[path], err = Locate(roots, in("root/"+path)); err != nil || places[path].Full() != in("root/"+path) {
			t.Fatalf("%s: %+v, %v", path, places[path], err)
		}
	}
	if text, err := places["sub/a"].Read(10); string(text) != "inside" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	walked := func(p Place) (all []string, err error) {
		return all, p.Walk(func(path string, d fs.DirEntry, err error) error {
			if err == nil {
				all = append(all, path)
			}
			return err
		})
	}
	all, err := walked(places["sub"])
	if free, _ := walked(Place{Path: in("root/sub")}); err != nil || !slices.Equal(all, free) || len(all) != 4 {
		t.Errorf("%q, without roots %q, %v", all, free, err)
	}

	if err := errors.Join(os.Rename(in("root/sub"), in("root/was")), os.Symlink(in("out"), in("root/sub"))); err != nil {
		testenv.Missing(t, "links: "+err.Error())
	}
	for name, do := range map[string]func() error{
		"open":   func() error { _, err := places["sub/a"].Open(); return err },
		"read":   func() error { _, err := places["sub/a"].Read(10); return err },
		"create": func() error { _, err := places["sub/new"].OpenFile(os.O_CREATE|os.O_WRONLY, 0o600); return err },
		"stat":   func() error { _, err := places["sub/a"].Stat(); return err },
		"lstat":  func() error { _, err := places["sub/a"].Lstat(); return err },
		"folder": func() error { _, err := places["sub"].OpenRoot(); return err },
		"make":   func() error { _, err := places["sub/deep"].MakeRoot(0o700); return err },
		"parent": func() error { _, _, err := places["sub/new"].Parent(); return err },
		"list":   func() error { _, err := places["sub"].Entries(); return err },
		"walk":   func() error { _, err := walked(places["sub/deep"]); return err },
	} {
		if err := do(); err == nil {
			t.Errorf("%s leaves the root", name)
		}
	}
	if all, _ := walked(places["sub"]); len(all) > 1 { // the link itself
		t.Errorf("%q", all)
	}
	if names, err := os.ReadDir(in("out")); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
}
