package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
)

// confined returns an Env for the working folder dir with roots.
func confined(t *testing.T, dir string, roots ...string) *tools.Env {
	t.Helper()
	env := rootedEnv(dir, roots...)
	_, err := env.Roots()
	check(t, err)
	return env
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
	testenv.Symlink(t, target, path)
}

// names lists a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
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
