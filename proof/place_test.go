//go:build unix

package proof

import (
	"bytes"
	"errors"
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

	"techo/internal/testenv"
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
	if err := errors.Join(os.WriteFile(file, []byte("mine"), 0o600), os.Symlink("file", link),
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
		if err := errors.Join(os.MkdirAll(begun, 0o700),
			os.WriteFile(filepath.Join(begun, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	on(begun).ok(t, []string{"memo", "list"}, []string{"store", "verify"}, adds, []string{"memo", "get", "another"})
}

// wantWrite checks that other processes see the next write of a holder.
func wantWrite(t *testing.T, h *holder, dir, name string) {
	t.Helper()
	h.call(t, adding(0, name, "content"))
	on(dir).ok(t, []string{"memo", "get", name}, []string{"store", "verify"})
	h.call(t, line{Tool: "get_memo", Input: map[string]any{"memo_name": name}})
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
	if err := errors.Join(os.Rename(here, filepath.Join(dir, "away")), os.Rename(there, here)); err != nil {
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

// openDir creates a folder that all users may read.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// stranger runs techo as a user to whom file modes apply: user 65534 if the test
// runs as root, otherwise the same user.
func stranger(t *testing.T, store string) caller {
	t.Helper()
	if os.Getuid() != 0 {
		return on(store)
	}
	give(t, store, 65534)
	copied := filepath.Join(openDir(t), "techo") // the program's own folder is private
	if err := os.Link(program, copied); err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, args ...string) answer {
		c := exec.CommandContext(t.Context(), "setpriv",
			append([]string{"--reuid=65534", "--regid=65534", "--clear-groups",
				copied, "--store", store}, args...)...)
		c.Env, c.Dir = environment(), "/"
		a := collect(c)
		a.wantClean(t)
		return a
	}
}

func give(t *testing.T, store string, user int) {
	t.Helper()
	err := filepath.WalkDir(store, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, user, user))
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func chmodAll(t *testing.T, store string, folders, files os.FileMode) {
	t.Helper()
	set := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, folders)
		}
		return os.Chmod(path, files)
	}
	t.Cleanup(func() { // otherwise it cannot be removed
		_ = filepath.WalkDir(store, func(path string, d fs.DirEntry, _ error) error { return os.Chmod(path, 0o700) })
	})
	if err := filepath.WalkDir(store, set); err != nil {
		t.Fatal(err)
	}
}

// backupTo returns a call that writes a backup to a folder that all users may write
// to.
func backupTo(t *testing.T) []string {
	t.Helper()
	dir := openDir(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return []string{"store", "backup", filepath.Join(dir, "backup")}
}

// TestPlaceReadOnly checks that a user who may only read a store can make all
// reading calls, and that writing calls change nothing.
func TestPlaceReadOnly(t *testing.T) {
	for name, prepare := range map[string]func(store string) error{
		"as it is": func(string) error { return nil },
		"without locks": func(s string) error {
			return errors.Join(os.Remove(filepath.Join(s, "lock")), os.Remove(filepath.Join(s, "queue")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(openDir(t), "store")
			makeStore(t, store, true)
			if err := prepare(store); err != nil {
				t.Fatal(err)
			}
			chmodAll(t, store, 0o555, 0o444)
			call := stranger(t, store)
			unchanged(t, store, func() {
				call.ok(t, append(reads, backupTo(t))...)
				call.refused(t, "forbidden", 4, adds...)
				call.refused(t, "forbidden", 4, "memo", "remove", "one")
				call.refused(t, "forbidden", 4, compacts...)
			})
		})
	}
}

// TestPlaceForbidden checks that a user who may not read a store gets an error, not
// an empty store.
func TestPlaceForbidden(t *testing.T) {
	for name, prepare := range map[string]func(store string) error{
		"folder":  func(s string) error { return os.Chmod(s, 0) },
		"parent":  func(s string) error { return os.Chmod(filepath.Dir(s), 0) },
		"journal": func(s string) error { return os.Chmod(filepath.Join(s, "journal"), 0) },
		"tables":  func(s string) error { return os.Chmod(filepath.Join(s, "tables"), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(openDir(t), "around", "store")
			makeStore(t, store, true)
			mustTecho(t, store, "store", "compact") // so that reading needs the tables
			around := filepath.Dir(store)
			chmodAll(t, around, 0o755, 0o644)
			if err := prepare(store); err != nil {
				t.Fatal(err)
			}
			call := stranger(t, store)
			for _, args := range [][]string{gets, {"memo", "list"}, {"store", "verify"}, adds, compacts} {
				call.refused(t, "forbidden", 4, args...)
			}
		})
	}
}

// TestPlaceUnmade checks that no store is created in a folder without write access,
// and that reading a missing store finds nothing.
func TestPlaceUnmade(t *testing.T) {
	around := openDir(t)
	chmodAll(t, around, 0o555, 0o444)
	call := stranger(t, filepath.Join(around, "store"))
	call.refused(t, "forbidden", 4, adds...)
	call.ok(t, []string{"memo", "list"})
	if left, err := os.ReadDir(around); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

// mount mounts something on a folder until the test ends.
func mount(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		testenv.Forbidden(t, fmt.Sprintf("mounting a folder: %v %s", err, out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
}

// TestPlaceMounted restores over a store that is a mount point.
func TestPlaceMounted(t *testing.T) {
	store, backup := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "backup")
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	mount(t, store, "-t", "tmpfs", "-o", "mode=700", "none")
	makeStore(t, store, true)
	want := contentsOf(t, store)
	mustTecho(t, store, "store", "backup", backup)
	on(store).ok(t, adds)
	mustTecho(t, store, "store", "restore", backup, "--force")
	if got := contentsOf(t, store); !maps.Equal(got, want) {
		t.Errorf("restored %v, want %v", got, want)
	}
	on(store+".before-1").ok(t, reads...)
}

// TestPlaceReadOnlyMount is TestPlaceReadOnly for a whole file system.
func TestPlaceReadOnlyMount(t *testing.T) {
	dir := t.TempDir()
	mount(t, dir, "-t", "tmpfs", "none")
	store := filepath.Join(dir, "store")
	makeStore(t, store, true)
	if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	unchanged(t, dir, func() {
		on(store).ok(t, append(reads, backupTo(t))...)
		for _, args := range [][]string{adds, compacts, {"memo", "edit", "one", "--content", "x"}} {
			on(store).refused(t, "forbidden", 4, args...)
		}
		on(filepath.Join(dir, "other")).refused(t, "forbidden", 4, adds...)
	})
}

// TestPlaceNoInodes checks that a file system without free inodes counts as full,
// even if it has free space.
func TestPlaceNoInodes(t *testing.T) {
	dir := t.TempDir()
	mount(t, dir, "-t", "tmpfs", "-o", "size=8m,nr_inodes=40", "none")
	store := filepath.Join(dir, "store")
	makeStore(t, store, true)
	want := contentsOf(t, store)
	var fillers []string
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprint("filler", n))
		if os.WriteFile(name, nil, 0o600) != nil {
			break
		}
		fillers = append(fillers, name)
	}
	on(filepath.Join(dir, "other")).refused(t, "no_space", 6, adds...)
	on(store).refused(t, "no_space", 6, compacts...)
	on(store).ok(t, append(reads, adds)...) // an addition needs no file
	want["another"] = "content"
	for _, name := range fillers {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	on(store).ok(t, compacts, []string{"store", "verify"})
	on(filepath.Join(dir, "other")).ok(t, adds)
	if got := contentsOf(t, store); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
