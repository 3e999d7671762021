package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"techo/tools"
)

// confined returns an Env for the working folder dir with roots.
func confined(t *testing.T, dir string, roots ...string) *tools.Env {
	t.Helper()
	var opened []*os.Root
	for _, name := range roots {
		real, err := filepath.EvalSymlinks(name)
		check(t, err)
		root, err := os.OpenRoot(real)
		check(t, err)
		t.Cleanup(func() { root.Close() })
		opened = append(opened, root)
	}
	return &tools.Env{
		Dir: dir, Now: time.Now, Zone: time.UTC,
		Roots: func() ([]*os.Root, error) { return opened, nil },
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file and creates its folders.
func put(t *testing.T, path, text string) string {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func link(t *testing.T, target, path string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
}

func codeOf(err error) tools.Code {
	if e := new(tools.Error); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// rootCase is a path and the error that it must give.
type rootCase struct {
	path string
	code tools.Code // "" if the file is allowed
}

// rootCases lists the paths of TestRoots. in is a root in base.
func rootCases(base, in string) []rootCase {
	return []rootCase{
		{"a.txt", ""},
		{"./a.txt", ""},
		{"sub/../a.txt", ""},
		{"sub//b.txt", ""},
		{filepath.Join(in, "a.txt"), ""},
		{"../dir/a.txt", ""},
		{"../other/c.txt", ""},
		{"../door/a.txt", ""},
		{"near", ""},
		{"absolute", ""},
		{"beside/c.txt", ""},
		{"outdir/dir/a.txt", ""},
		{"missing", tools.NotFound},
		{"missing/deep/x", tools.NotFound},
		{"%2e%2e/secret.txt", tools.NotFound},
		{"..%2fsecret.txt", tools.NotFound},
		{"...", tools.NotFound},
		{"a.txt/x", tools.NotFound},
		{"dangling", tools.NotFound},
		{"a\x00.txt", tools.InvalidInput},
		{".", tools.InvalidInput},
		{"sub", tools.InvalidInput},
		{"sub/", tools.InvalidInput},
		{"..", tools.Forbidden},
		{"../secret.txt", tools.Forbidden},
		{"../missing", tools.Forbidden},
		{"../dir-evil/x.txt", tools.Forbidden},
		{"../di/x.txt", tools.Forbidden},
		{"../../../../../../../../etc/passwd", tools.Forbidden},
		{"sub/../../secret.txt", tools.Forbidden},
		{"missing/../../secret.txt", tools.Forbidden},
		{"sub/up/secret.txt", tools.Forbidden},
		{"out", tools.Forbidden},
		{"outdir/secret.txt", tools.Forbidden},
		{"outdir/../secret.txt", tools.Forbidden},
		{"outdir/missing", tools.Forbidden},
		{"dangling-out", tools.Forbidden},
		{"loop", tools.Forbidden},
		{"loop/x", tools.Forbidden},
		{"/etc/passwd", tools.Forbidden},
		{"/", tools.Forbidden},
		{"//etc/passwd", tools.Forbidden},
		{"/proc/self/root/etc/passwd", tools.Forbidden},
		{filepath.Join(base, "secret.txt"), tools.Forbidden},
		{base, tools.Forbidden},
	}
}

// TestRoots resolves paths of all kinds, confined to two folders.
func TestRoots(t *testing.T) {
	base := t.TempDir()
	in, other := filepath.Join(base, "dir"), filepath.Join(base, "other")
	put(t, filepath.Join(in, "a.txt"), "inside")
	put(t, filepath.Join(in, "sub/b.txt"), "inside")
	put(t, filepath.Join(other, "c.txt"), "inside")
	put(t, filepath.Join(base, "secret.txt"), "outside")
	put(t, filepath.Join(base, "dir-evil/x.txt"), "outside")
	put(t, filepath.Join(base, "di/x.txt"), "outside")
	link(t, "a.txt", filepath.Join(in, "near"))
	link(t, filepath.Join(in, "a.txt"), filepath.Join(in, "absolute"))
	link(t, "../secret.txt", filepath.Join(in, "out"))
	link(t, base, filepath.Join(in, "outdir"))
	link(t, "../..", filepath.Join(in, "sub/up"))
	link(t, "../new.txt", filepath.Join(in, "dangling-out"))
	link(t, "nowhere", filepath.Join(in, "dangling"))
	link(t, "loop", filepath.Join(in, "loop"))
	link(t, in, filepath.Join(base, "door"))
	link(t, other, filepath.Join(in, "beside"))
	env := confined(t, in, in, other)

	for _, test := range rootCases(base, in) {
		text, err := readWhole(env, test.path)
		if codeOf(err) != test.code || err != nil && test.code == "" || err == nil && text != "inside" {
			t.Errorf("%s: %q, %v, want %q", test.path, text, err, test.code)
		}
	}

	// A walk opens its folder in the same way.
	p, err := locate(env, "outdir/dir/sub")
	check(t, err)
	folder, err := p.open()
	check(t, err)
	defer folder.Close()
	if names, _ := folder.Readdirnames(-1); len(names) != 2 || p.shown != "outdir/dir/sub" || p.path != "sub" {
		t.Errorf("a folder: %v, %+v", names, p)
	}
}

// readWhole reads a file as the tools do.
func readWhole(env *tools.Env, path string) (string, error) {
	f, err := openFile(context.Background(), env, path, false)
	if err != nil {
		return "", err
	}
	defer f.close()
	if f.file == nil {
		return "", f.missing(env)
	}
	b, err := io.ReadAll(f.file)
	return string(b), err
}

// TestRootsRace keeps replacing a folder by a link to the outside while files in
// it are read and written.
func TestRootsRace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder in use cannot be exchanged there")
	}
	base := t.TempDir()
	in := filepath.Join(base, "in")
	put(t, filepath.Join(in, "d/f.txt"), "inside")
	put(t, filepath.Join(base, "out/f.txt"), "outside")
	link(t, filepath.Join(base, "out"), filepath.Join(in, "l"))
	env := confined(t, in, in)

	var stop atomic.Bool
	swapped := make(chan int)
	go func() {
		n := 0
		for d, l, side := filepath.Join(in, "d"), filepath.Join(in, "l"), filepath.Join(in, "side"); !stop.Load(); n++ {
			_ = os.Rename(d, side)
			_ = os.Rename(l, d)
			_ = os.Rename(d, l)
			_ = os.Rename(side, d)
		}
		swapped <- n
	}()
	answers := map[string]int{}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		text, err := readWhole(env, "d/f.txt")
		if err == nil && text != "inside" {
			t.Errorf("read %q", text)
		}
		answers[string(codeOf(err))]++
		_, err = writeFile(context.Background(), env, WriteIn{Path: "d/f.txt", Content: "inside"})
		answers["write "+string(codeOf(err))]++
	}
	stop.Store(true)
	t.Logf("%d exchanges, answers: %v", <-swapped, answers)
	text, err := os.ReadFile(filepath.Join(base, "out/f.txt"))
	if err != nil || string(text) != "outside" {
		t.Errorf("the outside now reads %q, %v", text, err)
	}
	names, err := os.ReadDir(filepath.Join(base, "out"))
	if err != nil || len(names) != 1 {
		t.Errorf("the outside now holds %v, %v", names, err)
	}
	for _, way := range []string{"", "write "} {
		if answers[way] == 0 || answers[way+string(tools.Forbidden)]+answers[way+string(tools.NotFound)] == 0 {
			t.Errorf("the race did not happen: %v", answers)
		}
	}
}

// TestRootsDevices expects special files to be refused without waiting for a peer.
func TestRootsDevices(t *testing.T) {
	dir := t.TempDir()
	special := makeSpecial(t, dir)
	for _, env := range []*tools.Env{confined(t, dir, dir), confined(t, dir)} {
		for _, name := range special {
			done := make(chan error, 2)
			go func() {
				_, err := readWhole(env, name)
				done <- err
				_, err = writeFile(context.Background(), env, WriteIn{Path: name, Content: "x"})
				done <- err
			}()
			for range 2 {
				select {
				case err := <-done:
					if codeOf(err) != tools.Forbidden || !strings.Contains(err.Error(), name) {
						t.Errorf("%s: %v", name, err)
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("%s: still waiting", name)
				}
			}
		}
	}
}

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
	if _, err := readFile(t.Context(), env, ReadIn{Path: "notes/journal", Offset: 1, Limit: 1}); err != nil {
		t.Error(err)
	}
}
