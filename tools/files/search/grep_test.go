package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/bmatcuk/doublestar/v4"

	"techo/internal/charset"
	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/filestest"
)

func wide(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

// TestKindsOfFiles searches texts in all encodings and line ends.
func TestKindsOfFiles(t *testing.T) {
	long := strings.Repeat("é", 400_000)
	for _, test := range []struct {
		name, text, want string // line:column:text, separated by |
		in               GrepIn
		skipped          Skipped
	}{
		{name: "BOM", text: "\ufeffneedle\r\nx\r\n", in: GrepIn{Pattern: "^needle"}, want: "1:1:needle"},
		{name: "UTF-16LE", text: wide("x\n日本 needle\n", false), in: GrepIn{Pattern: "本 needle$"},
			want: "2:2:日本 needle"},
		{name: "UTF-16BE", text: wide("x\nneedle", true), in: GrepIn{Pattern: "needle"}, want: "2:1:needle"},
		{name: "not UTF-8", text: "\xff\xfea\xffneedle\n", in: GrepIn{Pattern: "nothing"}},
		{name: "Latin", text: "caf\xe9 needle\n", in: GrepIn{Pattern: "needle"}, want: "1:6:caf\ufffd needle"},
		{name: "binary", text: "needle\n\x00", in: GrepIn{Pattern: "needle"}, skipped: Skipped{Binary: 1}},
		{name: "NUL later", text: "needle\n" + strings.Repeat("x\n", 50_000) + "\x00\nneedle\n",
			in: GrepIn{Pattern: "needle"}, want: "1:1:needle", skipped: Skipped{Binary: 1}},
		{name: "long line", text: "x\n" + long + " needle " + long + "\nneedle", in: GrepIn{Pattern: "needle"},
			want: "2:400002:" + strings.Repeat("é", 99) + " needle " + strings.Repeat("é", 193) + "|3:1:needle"},
		{name: "too long", text: strings.Repeat("y", lastBuffer+5) + "\nneedle\n", in: GrepIn{Pattern: "needle"},
			want: "2:1:needle", skipped: Skipped{TooLarge: 1}},
		{name: "many chunks", text: strings.Repeat(strings.Repeat("x", 98)+"\n", 30_000) + "needle\n",
			in: GrepIn{Pattern: "needle"}, want: "30001:1:needle"},
		{name: "no end", text: "a\n\nneedle", in: GrepIn{Pattern: "^$|needle$"}, want: "2:1:|3:1:needle"},
		{name: "empty", text: "", in: GrepIn{Pattern: "^"}},
		{name: "over lines", text: "f() {\n  a\n}\nb\n", in: GrepIn{Pattern: `\{\n.*a\n\}`, Multiline: true},
			want: "1:5:f() {\n  a\n}"},
		{name: "over lines, large", text: strings.Repeat("x\n", 300_000) + "a\nb\n",
			in: GrepIn{Pattern: `a\nb`, Multiline: true}, want: "300001:1:a\nb"},
		{name: "over lines, too large", text: strings.Repeat("x\n", lastBuffer/2+1) + "a\nb\n",
			in: GrepIn{Pattern: `a\nb`, Multiline: true}, skipped: Skipped{TooLarge: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := putFiles(t, map[string]string{"file": test.text})
			for _, path := range []string{".", "file"} {
				in := test.in
				in.Path, in.Limit = path, 50
				out := searchFor(t, dir, in)
				var got []string
				for _, m := range out.Matches {
					got = append(got, fmt.Sprintf("%d:%d:%s", m.Line, m.Column, m.Text))
				}
				if s := strings.Join(got, "|"); s != test.want {
					t.Errorf("%s: got  %.300q\nwant %.300q", path, s, test.want)
				}
				if out.Skipped != test.skipped {
					t.Errorf("%s: skipped %+v, want %+v", path, out.Skipped, test.skipped)
				}
			}
		})
	}
}

// TestAround compares the context lines with a simple count.
func TestAround(t *testing.T) {
	r := testenv.Random(t)
	for range 50 {
		var lines []string
		for range r.IntN(60) {
			lines = append(lines, strings.Repeat([]string{"x", "あ", "needle "}[r.IntN(3)], r.IntN(4)))
		}
		text := strings.Join(lines, "\n")
		if r.IntN(2) == 0 {
			text = wide(text, r.IntN(2) == 0)
		}
		in := GrepIn{Pattern: "needle", Path: ".", Limit: 1000, Before: r.IntN(4), After: r.IntN(4)}
		for _, m := range searchFor(t, putFiles(t, map[string]string{"file": text}), in).Matches {
			before := lines[max(0, m.Line-1-in.Before) : m.Line-1]
			after := lines[m.Line:min(len(lines), m.Line+in.After)]
			if len(after) > 0 && m.Line+len(after) == len(lines) && after[len(after)-1] == "" {
				after = after[:len(after)-1] // drop the empty text behind the last line end
			}
			if !slices.Equal(m.Before, before) || !slices.Equal(m.After, after) {
				t.Fatalf("line %d of %q: %q and %q, want %q and %q", m.Line, lines, m.Before, m.After, before, after)
			}
		}
	}
}

// TestRulesOfGit compares with git for rules from all sources: folders above the
// start, nested repositories, info/exclude, the user's file, a linked work tree.
func TestRulesOfGit(t *testing.T) {
	home := putFiles(t, map[string]string{".gitconfig": "[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine # " +
		"comment\n", "mine": "*.mine\n"})
	files := map[string]string{
		".gitignore": "*.o\n/build/\n!keep.o\nsub/*.tmp\ndeep/**/x\n", "a/.gitignore": "!b.o\nlocal\n",
		"a/b/.gitignore":      "*\n!*.go\n",
		"a/nested/.gitignore": "*.n\n",
	}
	for _, dir := range []string{"", "a/", "a/b/", "a/nested/", "sub/", "deep/1/2/", "build/", "a/build/"} {
		for _, name := range []string{"b.o", "keep.o", "x.o", "x.go", "x", "y.tmp", "local", "z.mine", "q.excluded",
			"p.n", ".hidden"} {
			files[dir+name] = "text\n"
		}
	}
	dir := putFiles(t, files)
	git := func(at string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = filepath.Join(dir, at),
			append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return string(out)
	}
	git("", "init", "-q", ".")
	git("a/nested", "init", "-q", ".")
	if err := os.WriteFile(filepath.Join(dir, ".git/info/exclude"), []byte("*.excluded\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := testEnv(dir)
	env.Host.Home, env.Host.Config, env.Host.GitConfig = home, home, []string{filepath.Join(home, ".gitconfig")}
	for _, at := range []string{".", "a", "a/b", "a/nested", "deep/1"} {
		out, err := findFiles(context.Background(), env, GlobIn{Pattern: "**", Path: at, Limit: 1000, Hidden: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range out.Paths {
			if !strings.Contains(p, ".git/") && !(strings.Contains(p, "nested/") && at != "a/nested") {
				got = append(got, p)
			}
		}
		var want []string
		for p := range strings.FieldsSeq(git(at, "ls-files", "--others", "--exclude-standard")) {
			if p = filepath.Join(at, p); !strings.Contains(p, "nested") || at == "a/nested" {
				want = append(want, p)
			}
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", at, got, want)
		}
	}
}

// TestTimeout expects the partial result of a search that times out.
func TestTimeout(t *testing.T) {
	dir := putFiles(t, map[string]string{"a": "x\n"})
	ctx, stop := context.WithTimeoutCause(context.Background(), time.Nanosecond, tools.ErrTimeout)
	defer stop()
	<-ctx.Done()
	out, err := grep(ctx, testEnv(dir), GrepIn{Pattern: "x", Path: ".", Limit: 50})
	if err != nil || !out.TimedOut || !out.Truncated || out.Outcome() != tools.Timeout || out.NextCursor != "" {
		t.Errorf("%+v, %v", out, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := grep(ctx, testEnv(dir), GrepIn{Pattern: "x", Path: ".", Limit: 50}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSearchConfined expects a search not to leave its root through the path or
// links, and to ignore rules from outside.
func TestSearchConfined(t *testing.T) {
	dir := putFiles(t, map[string]string{".ignore": "in.txt\n", "root/in.txt": "secret\n", "out.txt": "secret\n",
		"rooted/x": "secret\n"})
	for name, to := range map[string]string{"link": "../out.txt", "up": ".."} {
		filestest.Link(t, to, filepath.Join(dir, "root", name))
	}
	dir, err := filepath.EvalSymlinks(dir) // the temporary folder may be a link
	check(t, err)
	root, err := os.OpenRoot(filepath.Join(dir, "root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	env := testEnv(filepath.Join(dir, "root"))
	env.Roots = func() ([]*os.Root, error) { return []*os.Root{root}, nil }
	out, err := grep(context.Background(), env,
		GrepIn{Pattern: "secret", Path: ".", Limit: 50, Hidden: true, NoIgnore: true})
	if err != nil || len(out.Matches) != 1 || out.Matches[0].Path != "in.txt" {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = grep(context.Background(), env, GrepIn{Pattern: "secret", Path: ".", Limit: 50}); err != nil ||
		len(out.Matches) != 1 {
		t.Errorf("a rule from outside counted: %+v, %v", out, err)
	}
	for _, path := range []string{"..", "../out.txt", "../rooted", "up", "link", "up/out.txt", "/"} {
		_, err := grep(context.Background(), env, GrepIn{Pattern: "secret", Path: path, Limit: 50})
		if e := new(tools.Error); !errors.As(err, &e) || e.Code != tools.Forbidden {
			t.Errorf("%s: %v", path, err)
		}
		_, err = findFiles(context.Background(), env, GlobIn{Pattern: "**", Path: path, Limit: 10})
		if e := new(tools.Error); !errors.As(err, &e) || e.Code != tools.Forbidden {
			t.Errorf("glob %s: %v", path, err)
		}
	}
}

// FuzzGlob compares the shortcuts for common patterns with doublestar.
func FuzzGlob(f *testing.F) {
	for _, p := range []string{"*.go", "**/*.go", "a/**/b", "**", "*", "**/", "./x", "{a,b}/*", "[a-c]*", `\*`, "**/a",
		"*.{a,b}", "a**"} {
		f.Add(p, "a/b.go", true)
		f.Add(p, "x", false)
	}
	f.Fuzz(func(t *testing.T, pattern, path string, anyDepth bool) {
		g, at := newGlob(pattern, anyDepth)
		if at >= 0 || strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || path == "" ||
			strings.HasPrefix(pattern, "/") {
			return
		}
		pattern = strings.TrimPrefix(pattern, "./")
		full := pattern
		if anyDepth && !strings.Contains(pattern, "/") {
			full = "**/" + pattern
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if got, want := g.matches(path, name), doublestar.MatchUnvalidated(full, path); got != want {
			t.Errorf("%q and %q: %v, want %v", pattern, path, got, want)
		}
	})
}

// TestGlobPatterns compares the results of glob with a doublestar match of every
// name.
func TestGlobPatterns(t *testing.T) {
	dir := putFiles(t, map[string]string{
		"a.py": "", "src/b.py": "", "src/test_c.py": "", "src/x/d.js": "", "src/x/y/e.ts": "", "lib/f.ts": "",
		"src/[g].py": "", "日本/語.md": "",
	})
	for pattern, want := range map[string]string{
		"*": "a.py", "*.py": "a.py",
		"**":      "a.py lib/f.ts src/[g].py src/b.py src/test_c.py src/x/d.js src/x/y/e.ts 日本/語.md",
		"**/*.py": "a.py src/[g].py src/b.py src/test_c.py", "src/*": "src/[g].py src/b.py src/test_c.py",
		"src/*/*":          "src/x/d.js",
		"src/**/*.{ts,js}": "src/x/d.js src/x/y/e.ts", "**/x/**": "src/x/d.js src/x/y/e.ts", "*/f.ts": "lib/f.ts",
		"{src,lib}/*.{py,ts}": "lib/f.ts src/[g].py src/b.py src/test_c.py",
		"{src/x,lib}/*":       "lib/f.ts src/x/d.js", `src/\[g\].py`: "src/[g].py", "./src/b.py": "src/b.py",
		"s?c/b.py": "src/b.py", "[!s]*/*": "lib/f.ts 日本/語.md",
		"日本/*.md": "日本/語.md", "**/test_*": "src/test_c.py", "src/x/**/": "", "nowhere/*": "", "a.py/*": "",
		"**/y/*.ts": "src/x/y/e.ts",
	} {
		out, err := findFiles(context.Background(), testEnv(dir),
			GlobIn{Pattern: pattern, Path: ".", Limit: 100, NoIgnore: true})
		if got := strings.Join(out.Paths, " "); err != nil || got != want {
			t.Errorf("%s: got %q, want %q, %v", pattern, got, want, err)
		}
	}
}

// TestEncodings expects a search of other encodings only on request, and otherwise
// a hint.
func TestEncodings(t *testing.T) {
	text := "もう一行\r\n日本語の表示\r\n最後\r\n"
	files := map[string]string{"utf8.txt": "日本\n表示 ok\n", "plain.txt": strings.Repeat("plain\n", 20_000),
		"bin": "\x00\xff"}
	for _, name := range []string{"shift_jis", "euc-jp"} {
		c, _ := charset.Find(name)
		b, err := c.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		files["old/"+name+".txt"] = string(b)
	}
	dir := putFiles(t, files)
	in := GrepIn{Pattern: "語の", Path: ".", Limit: 10}
	out := searchFor(t, dir, in)
	if want := (AlsoIn{Files: 2, First: "old/euc-jp.txt"}); out.Count != 0 || out.AlsoIn["encoding"] != want {
		t.Errorf("%+v", out)
	}
	in.Path = "old/shift_jis.txt"
	if out := searchFor(t, dir, in); out.AlsoIn["encoding"] != (AlsoIn{Files: 1, First: in.Path}) {
		t.Errorf("%+v", out)
	}
	for _, multiline := range []bool{false, true} {
		in := GrepIn{Pattern: "表示", Path: ".", Limit: 10, Context: 1, Encoding: "auto", Multiline: multiline}
		out := searchFor(t, dir, in)
		var got []string
		for _, m := range out.Matches {
			got = append(got, fmt.Sprintf("%s:%d:%d %s %s", m.Path, m.Line, m.Column, m.Before, m.After))
		}
		want := []string{"old/euc-jp.txt:2:5 [もう一行] [最後]", "old/shift_jis.txt:2:5 [もう一行] [最後]",
			"utf8.txt:2:1 [日本] []"}
		if !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		in.Encoding = "shift_jis" // the other file is not valid in it
		if out := searchFor(t, dir, in); out.Count != 2 {
			t.Errorf("%+v", out)
		}
	}
	in = GrepIn{Pattern: "nowhere", Path: ".", Limit: 10}
	if out := searchFor(t, dir, in); len(out.AlsoIn) > 0 {
		t.Errorf("%+v", out)
	}
}

// TestLongLinesAround expects part of a context line that is too long.
func TestLongLinesAround(t *testing.T) {
	dir := putFiles(t, map[string]string{"f": strings.Repeat("x", 100_000) + "end\nneedle\n" +
		strings.Repeat("y", 100_000)})
	out := searchFor(t, dir, GrepIn{Pattern: "needle", Path: "f", Limit: 1, Context: 3})
	m := out.Matches[0]
	if len(m.Before) != 1 || len(m.After) != 1 || !strings.HasSuffix(m.Before[0], "xend") ||
		len(m.Before[0]) != maxText || len(m.After[0]) != maxText {
		t.Errorf("%+v", out)
	}
}

// TestPerFile expects the limit per file, and a note about it.
func TestPerFile(t *testing.T) {
	dir := putFiles(t, map[string]string{"a": "x\nx\n", "b": "x\nx\nx\n", "c": "x\n"})
	for _, test := range []struct {
		in        GrepIn
		count     int
		truncated bool
		cursor    string
	}{
		{GrepIn{MaxPerFile: 3}, 6, false, ""},
		{GrepIn{MaxPerFile: 2}, 5, true, ""},
		{GrepIn{MaxPerFile: 2, Limit: 4}, 4, true, "b:2"},
		{GrepIn{MaxPerFile: 2, Cursor: "b:3"}, 1, false, ""},
		{GrepIn{MaxPerFile: 2, Multiline: true}, 5, true, ""},
		{GrepIn{MaxPerFile: 2, Count: true}, 6, false, ""},
		{GrepIn{MaxPerFile: 2, FilesWithMatches: true}, 3, false, ""},
	} {
		test.in.Pattern, test.in.Path, test.in.Limit = "x", ".", cmp.Or(test.in.Limit, 50)
		out := searchFor(t, dir, test.in)
		if out.Count != test.count || out.Truncated != test.truncated || out.NextCursor != test.cursor {
			t.Errorf("%+v: %+v", test.in, out)
		}
	}
}

// TestCountOfOneFile counts in a single file, whose path stays as it was given.
func TestCountOfOneFile(t *testing.T) {
	dir := putFiles(t, map[string]string{"real": "x\nx\n"})
	out := searchFor(t, dir, GrepIn{Pattern: "x", Path: "./real", Count: true, Limit: 50})
	if fmt.Sprint(out.Counts) != "[{./real 2}]" {
		t.Errorf("%+v", out.Counts)
	}
}
