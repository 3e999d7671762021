//go:build unix

package proof

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"techo/internal/testenv"
)

// openDir creates a folder that all users may read.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errorsOf(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
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
			return errorsOf(os.Remove(filepath.Join(s, "lock")), os.Remove(filepath.Join(s, "queue")))
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
