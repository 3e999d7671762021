package paths

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"techo/tools"
	"techo/tools/files/filestest"
)

type rootCase struct {
	path string
	code tools.Code // "" if the file is allowed
}

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
	env := filestest.Confined(t, in, in, other)

	for _, test := range rootCases(base, in) {
		text, err := readWhole(env, test.path)
		if filestest.CodeOf(err) != test.code || err != nil && test.code == "" || err == nil && text != "inside" {
			t.Errorf("%s: %q, %v, want %q", test.path, text, err, test.code)
		}
	}

	// A walk opens its folder in the same way.
	p, err := Locate(env, "outdir/dir/sub")
	filestest.Check(t, err)
	folder, err := p.Open()
	filestest.Check(t, err)
	defer folder.Close()
	if names, _ := folder.Readdirnames(-1); len(names) != 2 || p.Shown != "outdir/dir/sub" || p.Path != "sub" {
		t.Errorf("a folder: %v, %+v", names, p)
	}
}

func readWhole(env *tools.Env, path string) (string, error) {
	f, err := OpenFile(context.Background(), env, path, false)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if f.Opened == nil {
		return "", f.Missing(env)
	}
	b, err := io.ReadAll(f.Opened)
	return string(b), err
}
