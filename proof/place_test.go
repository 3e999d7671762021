//go:build unix

package proof

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

type caller func(t *testing.T, args ...string) answer

// on returns a caller that runs techo in the usual way.
func on(store string) caller {
	return func(t *testing.T, args ...string) answer { t.Helper(); return techo(t, store, args...) }
}

func (call caller) ok(t *testing.T, calls ...[]string) {
	t.Helper()
	for _, args := range calls {
		if a := call(t, args...); a.Code != 0 {
			t.Errorf("%v", a)
		}
	}
}

// refused checks that a call returns an error with a hint, each on one line, in both
// languages.
func (call caller) refused(t *testing.T, code string, exit int, args ...string) {
	t.Helper()
	for _, lang := range []string{"en", "ja"} {
		a := call(t, append([]string{"--lang", lang}, args...)...)
		e, _ := a.Doc["error"].(map[string]any)
		if a.errorCode() != code || a.Code != exit || a.Stderr != "" || bytes.Count(a.Out, []byte("\n")) != 1 {
			t.Errorf("want %s, exit %d: %v", code, exit, a)
			return
		}
		for _, part := range []string{"message", "hint"} {
			text := fmt.Sprint(e[part])
			if e[part] == nil || strings.ContainsFunc(text, unicode.IsControl) ||
				strings.ContainsFunc(text, isJapanese) != (lang == "ja") {
				t.Errorf("%s is %q: %v", part, text, a)
			}
		}
	}
}

func isJapanese(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) }

// Calls of every kind. Only the first two write.
var (
	adds     = []string{"memo", "add", "another", "content", "--priority", "3"}
	compacts = []string{"store", "compact"}
	gets     = []string{"memo", "get", "one"}
	reads    = [][]string{gets, {"memo", "list"}, {"memo", "tags"}, {"store", "info"}, {"store", "verify"}}
)

// makeStore creates a store with one memo and, if tables are wanted, many more.
func makeStore(t *testing.T, dir string, tables bool) {
	t.Helper()
	mustTecho(t, dir, "memo", "add", "one", "content", "--priority", "3")
	if tables {
		mustTecho(t, dir, "store", "compact")
		mustTecho(t, dir, "memo", "add", "two", "content", "--priority", "3")
	}
}

// filesOf returns the contents of the files in a folder by path, without locks.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "lock" || d.Name() == "queue" {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func unchanged(t *testing.T, dir string, do func()) {
	t.Helper()
	before := filesOf(t, dir)
	do()
	if after := filesOf(t, dir); !maps.Equal(before, after) {
		t.Errorf("%s held %q, now %q", dir, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}

// TestPlaceNames checks stores in folders with unusual names.
func TestPlaceNames(t *testing.T) {
	deep := func(length int) string {
		path := t.TempDir()
		for len(path) < length-200 {
			path = filepath.Join(path, strings.Repeat("長", 60))
		}
		return filepath.Join(path, strings.Repeat("x", max(1, length-len(path)-1)))
	}
	for name, dir := range map[string]string{
		"108 bytes":   deep(108),
		"3,900 bytes": deep(3900),
		"spaces":      filepath.Join(t.TempDir(), "  my store  "),
		"newlines":    filepath.Join(t.TempDir(), "my\nstore\n"),
		"Japanese":    filepath.Join(t.TempDir(), "手帳の場所"),
		"dashes":      filepath.Join(t.TempDir(), "--store"),
		"quotes":      filepath.Join(t.TempDir(), `"it's" \n $HOME %s *?[a]`),
		"a percent":   filepath.Join(t.TempDir(), "100%"),
		"a long name": filepath.Join(t.TempDir(), strings.Repeat("n", 250)),
	} {
		t.Run(name, func(t *testing.T) {
			makeStore(t, dir, true)
			on(dir).ok(t, append(reads, adds, compacts,
				[]string{"store", "backup", filepath.Join(t.TempDir(), "backup")})...)
			if got := mustTecho(t, dir, "store", "info").Doc["path"]; got != dir {
				t.Errorf("info reports %q, want %q", got, dir)
			}
			backup := filepath.Join(t.TempDir(), "the backup")
			mustTecho(t, dir, "store", "backup", backup)
			mustTecho(t, dir, "store", "restore", backup, "--force")
			if got := contentsOf(t, dir); len(got) != 3 {
				t.Errorf("restored: %v", got)
			}
		})
	}
}

// TestPlaceLink checks that a link to a store works like the store and stays a link.
func TestPlaceLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	makeStore(t, real, true)
	on(link).ok(t, append(reads, adds, []string{"store", "backup", filepath.Join(dir, "backup")}, compacts)...)
	if got, want := contentsOf(t, link), contentsOf(t, real); !maps.Equal(got, want) || len(got) != 3 {
		t.Errorf("by the link %v, really %v", got, want)
	}
	mustTecho(t, link, "store", "restore", filepath.Join(dir, "backup"), "--force")
	if to, err := os.Readlink(link); to != "real" {
		t.Errorf("the link: %q %v", to, err)
	}
	on(real).ok(t, reads...)
}

// TestPlaceWrong checks paths that cannot be a store. The error asks for another
// path, and nothing changes.
func TestPlaceWrong(t *testing.T) {
	dir := t.TempDir()
	file, link, loop := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "loop")
	if err := errorsOf(os.WriteFile(file, []byte("mine"), 0o600), os.Symlink("file", link),
		os.Symlink("loop", loop)); err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]string{
		"a file":           file,
		"below a file":     filepath.Join(file, "store"),
		"a link to one":    link,
		"a link in a ring": loop,
		"a long name":      filepath.Join(dir, strings.Repeat("x", 300)),
		"a long path":      filepath.Join(dir, strings.Repeat("x/", 3000)),
	} {
		t.Run(name, func(t *testing.T) {
			unchanged(t, dir, func() {
				for _, args := range [][]string{gets, {"memo", "list"}, {"store", "verify"}, adds, compacts} {
					on(store).refused(t, "invalid_input", 2, args...)
				}
			})
		})
	}
}

// TestPlaceLinkEmpty checks that a link to a missing folder creates the folder.
func TestPlaceLinkEmpty(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("later", link); err != nil {
		t.Fatal(err)
	}
	on(link).ok(t, []string{"memo", "list"}, adds, []string{"memo", "get", "another"})
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
}

// TestPlaceNowhere runs without any setting that locates the store.
func TestPlaceNowhere(t *testing.T) {
	homeless := caller(func(t *testing.T, args ...string) answer {
		c := exec.CommandContext(t.Context(), program, args...)
		c.Dir, c.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
		a := collect(c)
		a.wantClean(t)
		return a
	})
	for _, args := range append(reads, adds) {
		homeless.refused(t, "unavailable", 4, args...)
	}
}

// TestPlaceEmptied checks stores whose files are empty.
func TestPlaceEmptied(t *testing.T) {
	empty := func(names ...string) string {
		dir := filepath.Join(t.TempDir(), "store")
		makeStore(t, dir, true)
		for _, n := range names {
			if err := os.Truncate(filepath.Join(dir, n), 0); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	on(empty("lock", "queue")).ok(t, append(reads, adds, compacts)...)
	dir := empty("journal")
	unchanged(t, dir, func() {
		for _, args := range append(reads, adds, compacts) {
			on(dir).refused(t, "corrupt", 1, args...)
		}
	})
	// A store whose creation was interrupted counts as empty.
	begun := filepath.Join(t.TempDir(), "store")
	for _, name := range []string{"journal", "lock", "queue"} {
		if err := errorsOf(os.MkdirAll(begun, 0o700),
			os.WriteFile(filepath.Join(begun, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	on(begun).ok(t, []string{"memo", "list"}, []string{"store", "verify"}, adds, []string{"memo", "get", "another"})
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// wantWrite checks that other processes see the next write of a holder.
func wantWrite(t *testing.T, h *holder, dir, name string) {
	t.Helper()
	h.call(t, adding(0, name, "content"))
	on(dir).ok(t, []string{"memo", "get", name}, []string{"store", "verify"})
	h.call(t, line{Tool: "get_memo", Input: map[string]any{"memo_name": name}})
}

// TestPlaceRemoved removes the folder, or only its files, while a process uses the
// store. The next write of the process is not lost.
func TestPlaceRemoved(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"folder": os.RemoveAll,
		"parent": func(dir string) error { return os.RemoveAll(filepath.Dir(dir)) },
		"files": func(dir string) error {
			return errorsOf(os.Remove(filepath.Join(dir, "journal")), os.Remove(filepath.Join(dir, "lock")),
				os.Remove(filepath.Join(dir, "queue")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "around", "store")
			makeStore(t, dir, false)
			h := startHolder(t, dir)
			wantWrite(t, h, dir, "first")
			for n := range 3 {
				if err := remove(dir); err != nil {
					t.Fatal(err)
				}
				wantWrite(t, h, dir, fmt.Sprint("second", n))
				wantWrite(t, h, dir, "third")
			}
			if got := contentsOf(t, dir); len(got) != 2 {
				t.Errorf("%v", got)
			}
			h.finish(t)
		})
	}
}

// TestPlaceExchanged replaces a store with another while a process uses it. The
// process writes to the new one.
func TestPlaceExchanged(t *testing.T) {
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	makeStore(t, here, true)
	makeStore(t, there, false)
	mustTecho(t, there, "memo", "add", "other", "content", "--priority", "3")
	h := startHolder(t, here)
	wantWrite(t, h, here, "first")
	if err := errorsOf(os.Rename(here, filepath.Join(dir, "away")), os.Rename(there, here)); err != nil {
		t.Fatal(err)
	}
	unchanged(t, filepath.Join(dir, "away"), func() { wantWrite(t, h, here, "second") })
	h.call(t, line{Tool: "get_memo", Input: map[string]any{"memo_name": "other"}})
	h.finish(t)
	got := slices.Sorted(maps.Keys(contentsOf(t, here)))
	if want := []string{"one", "other", "second"}; !slices.Equal(got, want) {
		t.Errorf("the store holds %q, want %q", got, want)
	}
}
