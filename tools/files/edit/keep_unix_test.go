//go:build unix

package edit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"techo/tools"
	"techo/tools/files/filestest"
	"techo/tools/files/paths"
)

// TestKeepsModes edits files of all modes and owners and expects everything except
// the text to stay.
func TestKeepsModes(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o755, 0o777, 0o200 | 0o400, 0o755 | fs.ModeSetuid,
		0o775 | fs.ModeSetgid} {
		path := put(t, filepath.Join(dir, "f"), "old text")
		check(t, os.Chmod(path, mode))
		_, err := edit(env, replace(path, "old", "new"))
		check(t, err)
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v became %v, %v", mode, info.Mode(), err)
		}
		check(t, os.Remove(path))
	}

	if os.Getuid() == 0 { // only root may change the owner
		path := put(t, filepath.Join(dir, "given"), "old text")
		check(t, os.Chmod(path, 0o4755))
		check(t, os.Chown(path, 1234, 4321))
		check(t, os.Chmod(path, 0o755|fs.ModeSetuid))
		_, err := edit(env, replace(path, "old", "new"))
		check(t, err)
		info, err := os.Stat(path)
		check(t, err)
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 || info.Mode() != 0o755|fs.ModeSetuid {
			t.Errorf("the owner became %d:%d, the mode %v", st.Uid, st.Gid, info.Mode())
		}
	}
}

// TestKeepsLinks edits files through symbolic and hard links.
func TestKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	env := freeEnv(dir) // with roots, a file with two names is refused

	// A link stays a link, and its target is changed.
	put(t, filepath.Join(dir, "sub/real"), "old text")
	link(t, "sub/real", filepath.Join(dir, "link"))
	out, err := edit(env, replace("link", "old", "new"))
	check(t, err)
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != "sub/real" || out.Path != "link" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "sub/real")); string(got) != "new text" {
		t.Errorf("behind the link: %q", got)
	}

	// Both names of a file stay links to one file, and a note reports it.
	first, second := put(t, filepath.Join(dir, "first"), "old text, and long"), filepath.Join(dir, "second")
	check(t, os.Link(first, second))
	out, err = edit(env, replace(first, "old text, and long", "new"))
	check(t, err)
	a, err := os.Stat(first)
	check(t, err)
	b, err := os.Stat(second)
	check(t, err)
	if got, _ := os.ReadFile(second); !os.SameFile(a, b) || string(got) != "new" {
		t.Errorf("the other name: %q", got)
	}
	if len(out.Notes) == 0 ||
		!slices.ContainsFunc(out.Notes, func(s string) bool { return strings.Contains(s, "hard links") }) {
		t.Errorf("not said: %q", out.Notes)
	}
	// With confinement, the other name may be outside.
	if _, err := edit(confined(t, dir, dir), replace(first, "new", "newer")); codeOf(err) != tools.Forbidden {
		t.Errorf("confined: %v", err)
	}
}

// TestKeepsInPlace edits a file in a read-only folder, as a user other than root.
func TestKeepsInPlace(t *testing.T) {
	if os.Getuid() == 0 {
		asNobody(t)
		return
	}
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "sub/f"), "old text")
	check(t, os.Chmod(filepath.Dir(path), 0o555))
	defer os.Chmod(filepath.Dir(path), 0o755)
	env := testEnv(dir)
	out, err := edit(env, replace(path, "old", "new"))
	check(t, err)
	if got, _ := os.ReadFile(path); string(got) != "new text" ||
		!slices.ContainsFunc(out.Notes, func(s string) bool { return strings.Contains(s, "in place") }) {
		t.Errorf("%q, notes %q", got, out.Notes)
	}
	if _, err := writeFile(t.Context(), env, WriteIn{Path: "sub/new", Content: "x"}); codeOf(err) != tools.Forbidden {
		t.Errorf("a new file: %v", err)
	}
	check(t, os.Chmod(path, 0o444))
	if _, err := edit(env, replace(path, "new", "old")); codeOf(err) != tools.Forbidden {
		t.Errorf("read-only: %v", err)
	}
	check(t, os.Chmod(path, 0))
	if _, err := readText(env, path); codeOf(err) != tools.Forbidden {
		t.Errorf("not to be read: %v", err)
	}
}

// asNobody runs the test again as a user without rights.
func asNobody(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "techo-nobody-")
	check(t, err)
	defer os.RemoveAll(dir)
	check(t, os.Chown(dir, 65534, 65534))
	binary, err := os.ReadFile(os.Args[0]) // the running binary may be in a folder that user cannot access
	check(t, err)
	copied := filepath.Join(dir, "test")
	check(t, os.WriteFile(copied, binary, 0o755))
	check(t, os.Chmod(dir, 0o755))
	c := exec.Command(copied, "-test.run=^"+t.Name()+"$")
	c.Dir, c.Env = dir, []string{"TMPDIR=" + dir, "HOME=" + dir}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestKilled kills a writing process repeatedly. The file must have either its old
// or its new content.
func TestKilled(t *testing.T) {
	filestest.Once(t)
	contents := []string{strings.Repeat("a line of the one\n", 20_000), strings.Repeat("another line\n", 30_000)}
	if os.Getenv("TECHO_TEST_WRITES") != "" {
		env := confined(t, os.Getenv("TECHO_TEST_WRITES"))
		for i := 1; ; i++ {
			if _, err := writeFile(t.Context(), env, WriteIn{Path: "f", Content: contents[i%2]}); err != nil {
				t.Fatal(err)
			}
			os.Stderr.WriteString(".")
		}
	}
	dir := t.TempDir() // not of the processes that are killed, which would leave theirs
	path := filepath.Join(dir, "f")
	put(t, path, contents[0])
	seen := map[string]int{}
	for range 30 {
		c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		c.Env = append(os.Environ(), "TECHO_TEST_WRITES="+dir)
		stderr, err := c.StderrPipe()
		check(t, err)
		check(t, c.Start())
		_, err = io.ReadFull(stderr, make([]byte, 1+rand.IntN(4))) // wait for some writes
		check(t, err)
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		check(t, c.Process.Kill())
		_ = c.Wait()
		got, err := os.ReadFile(path)
		check(t, err)
		i := slices.Index(contents, string(got))
		if i < 0 {
			t.Fatalf("%d bytes, neither the one nor the other", len(got))
		}
		seen[contents[i][:7]]++
	}
	if t.Log(seen); len(seen) < 2 {
		t.Error("it was never killed between two writes")
	}
}

// tempMark ends the prefix of a temporary file. Names longer than longName have no
// room for their own prefix.
const (
	tempMark = ".techo-"
	longName = 255 - len("."+tempMark+"-9223372036854775808")
)

// TestStale expects a write to remove only old, unlocked temporary files.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	long := strings.Repeat("n", longName+1)
	stale := []string{".f" + tempMark + "123456789", ".f" + tempMark + "0", tempMark + "77"}
	others := []string{".f123456789", ".f" + tempMark + "12x", ".f" + tempMark, ".g" + tempMark + "9", tempMark + "x",
		".f.techo", "f.techo-1"}
	young, held := ".f"+tempMark+"1", ".f"+tempMark+"2"
	for _, name := range append(append(stale, others...), young, held) {
		put(t, filepath.Join(dir, name), "left")
		if name != young {
			old := time.Now().Add(-time.Hour)
			check(t, os.Chtimes(filepath.Join(dir, name), old, old))
		}
	}
	check(t, os.Mkdir(filepath.Join(dir, ".f"+tempMark+"3"), 0o700))
	f, err := os.Open(filepath.Join(dir, held))
	check(t, err)
	defer f.Close()
	if free, err := paths.TryLock(f); !free || err != nil {
		t.Fatal(free, err)
	}
	for _, name := range []string{"f", long} {
		_, err := writeFile(t.Context(), env, WriteIn{Path: name, Content: "new"})
		check(t, err)
	}
	for _, name := range stale {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range append(others, young, held, ".f"+tempMark+"3", "f", long) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestLongNames edits and creates files with names of the maximum length.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	for _, name := range []string{strings.Repeat("日", 85), strings.Repeat("n", 255), strings.Repeat("n", longName),
		strings.Repeat("n", longName+1)} {
		if _, err := writeFile(t.Context(), env, WriteIn{Path: name, Content: "old"}); err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
			continue
		}
		if _, err := edit(env, replace(name, "old", "new")); err != nil {
			t.Errorf("%d bytes: %v", len(name), err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != "new" {
			t.Errorf("%d bytes: %q, %v", len(name), got, err)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 4 {
		t.Errorf("left behind: %v", names)
	}
	want := tools.InvalidInput
	if filestest.IsRooted() { // to tell the difference would tell which folders exist outside
		want = tools.Forbidden
	}
	_, err := writeFile(t.Context(), env, WriteIn{Path: strings.Repeat("n", 256), Content: "x"})
	if codeOf(err) != want {
		t.Errorf("too long: %v", err)
	}
}

// TestEditLinked edits one file by two names at once.
func TestEditLinked(t *testing.T) {
	filestest.Once(t)
	dir := t.TempDir()
	env := freeEnv(dir) // likewise
	a := put(t, filepath.Join(dir, "a"), "0:0. 1:0. 2:0. 3:0.")
	b := filepath.Join(dir, "b")
	check(t, os.Link(a, b))
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for n := range 10 {
				if _, err := edit(env, replace([]string{a, b}[w%2], fmt.Sprintf("%d:%d.", w, n),
					fmt.Sprintf("%d:%d.", w, n+1))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, _ := os.ReadFile(a); string(got) != "0:10. 1:10. 2:10. 3:10." {
		t.Errorf("%q", got)
	}
}

// TestLocked expects a locked file to fail after the context ends, and to be
// available after the lock is released.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	env := testEnv(dir)
	put(t, filepath.Join(dir, "f"), "old")
	held, err := paths.OpenFile(t.Context(), env, "f", true)
	check(t, err)
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, tools.ErrTimeout)
	defer stop()
	old, text := "old", "new"
	if _, err := editFile(ctx, env, EditIn{Path: "f", OldString: &old, NewString: &text}); !errors.Is(err,
		tools.ErrTimeout) {
		t.Errorf("held: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := edit(env, replace("f", "old", "new"))
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	held.Close()
	check(t, <-done)
	if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != "new" {
		t.Errorf("%q", got)
	}
}
