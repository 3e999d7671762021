package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/filestest"
)

// rgPatterns are the patterns that ripgrep and grep search for. ripgrep gets the
// flag for ASCII classes where a pattern has a class, because RE2 classes are
// ASCII.
var rgPatterns = []struct{ pattern, flags string }{
	{"return nil", ""}, {"runtime.mallocgc", "-F"}, {"(?i)deprecated", ""},
	{"mutex|spin_lock_irqsave|RLock|atomic_inc", ""},
	{`\bfunc \w+\(`, "ascii"}, {"[A-Z]{3,}_[A-Z]+", ""}, {`\w{5}\s+\w{5}\s+\w{5}`, "ascii"}, {"世界", ""},
	{"(?i)error|warn(ing)?|fatal", ""}, {`(foo|bar|baz)\w*\(`, "ascii"}, {".{120,}", ""}, {"[a-z]+[0-9]+[a-z]+", ""},
	{`^import\s+`, "ascii"},
	{"TODO|FIXME|XXX|HACK", ""}, {"static.*inline.*void", ""}, {`\bif\s*\(.*==\s*NULL\)`, "ascii"},
	{`\w+\s*=\s*\w+\(`, "ascii"},
	{`[a-z]+ed\b`, "ascii"}, {`\d{4,}`, "ascii"}, {`^\s*//`, "ascii"}, {"^$", ""}, {".", ""}, {"e", ""},
	{`"[^"]{60,}"`, ""},
	{`0x[0-9a-f]{8}\b`, "ascii"}, {"foo", "-w"}, {`\w+Handler\(`, "ascii"}, {`\d{4}-\d\d-\d\d`, "ascii"},
	{`https?://\S+`, "ascii"},
	{`\S{60,}`, ""}, {`[^\x00-\x7F]`, ""}, {"colou?r", ""}, {`;\s*$`, "ascii"}, {`\w+ing\b`, "ascii"},
	{"syscall", "-i"},
	{"a.b(", "-F"}, {"é|ü|ß", "-i"}, {"func", "-w"}, {`(a|b|c)+d{2,3}`, ""}, {`^package (os|fmt|strings)$`, ""},
	{"[ぁ-ん]+", ""}, {"xyzzy_not_there", ""},
}

// goTree is the source of Go that runs this test or, unless all tests run, a folder of it.
func goTree(t testing.TB, part string) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src", testenv.Pick(part, ""))
}

// rg runs ripgrep in a folder and returns its lines.
func rg(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(testenv.Tool(t, "rg"), append([]string{"--no-config", "--sort", "path"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=")
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatalf("rg %q: %v", args, err)
	}
	most := int64(1) << 40
	if slices.Contains(args, "1000") { // of lines: these are enough
		most = 32 << 20
	}
	text, err := io.ReadAll(io.LimitReader(out, most))
	if err != nil {
		t.Fatalf("rg %q: %v", args, err)
	}
	cut := int64(len(text)) == most
	if cut {
		_ = cmd.Process.Kill() // the rest is never read
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	if err = cmd.Wait(); err != nil && !cut && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("rg %q: %v", args, err)
	}
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// TestAgainstRipgrep searches for 42 patterns: the counts of all files and the first thousand lines must be ripgrep's.
func TestAgainstRipgrep(t *testing.T) {
	filestest.Once(t)
	for i, dir := range trees(t) {
		for j, p := range rgPatterns {
			if (i > 0 || filestest.IsRooted()) && j%6 != 0 && !testenv.Long() {
				continue // the second tree is for its size, and roots do not change what a pattern matches
			}
			t.Run(filepath.Base(dir)+"/"+p.pattern, func(t *testing.T) { againstRipgrep(t, dir, p.pattern, p.flags) })
		}
	}
}

// trees are a small tree or, if all tests run, two large ones.
func trees(t *testing.T) []string {
	t.Helper()
	if testenv.Full() {
		return []string{goTree(t, ""), largeTree(t)}
	}
	return []string{goTree(t, "net")}
}

// largeTree is TECHO_TEST_TREE, by default the cache of Go's modules.
func largeTree(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("TECHO_TEST_TREE"); dir != "" {
		return dir
	}
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "github.com") // no downloaded archives and hashes
}

// sameInRipgrep are the patterns with which ripgrep finds the same as techo: letters in NFD
// as well, the separators U+001C to U+001F as white space, as in Python, and the end of a line before
// its CRLF, as in editors.
var sameInRipgrep = map[string]string{
	"^$":      `^\r?$`,
	".":       `[^\r]`,
	".{120,}": `[^\r]{120,}`,
	"é|ü|ß":   `é|e\x{301}|ü|u\x{308}|ß`,
	`\S{60,}`: `[^\s\x1c-\x1f]{60,}`,
}

func againstRipgrep(t *testing.T, dir, pattern, flags string) {
	args := []string{"-e", cmp.Or(sameInRipgrep[pattern], pattern), "."}
	in := GrepIn{Pattern: pattern, Path: ".", Limit: 1000}
	switch flags {
	case "ascii":
		in.ASCII = true
		args = append(args, "--no-unicode")
	case "-w":
		in.Word, in.ASCII = true, true
		args = append(args, flags, "--no-unicode")
	case "-i":
		in.IgnoreCase = true
		args = append(args, flags)
	case "-F":
		in.FixedStrings = true
		args = append(args, flags)
	}
	out := searchFor(t, dir, in)
	var got []string
	for _, m := range out.Matches {
		got = append(got, fmt.Sprintf("./%s:%d:%s", m.Path, m.Line, m.Text))
	}
	want := rg(t, dir, append([]string{"-n", "-m", "1000", "--max-columns", "0"}, args...)...)
	for i := range want[:min(len(want), 1000)] {
		if i >= len(got) || !sameLine(got[i], want[i], out.Matches[i]) {
			t.Fatalf("line %d of %d:\ngot  %q\nwant %q", i, len(want), at(got, i), want[i])
		}
	}
	if len(got) > len(want) {
		t.Fatalf("%d lines, want %d; the next %q", len(got), len(want), got[len(want)])
	}
	in.Count = true
	out = searchFor(t, dir, in)
	got = nil
	for _, c := range out.Counts {
		got = append(got, fmt.Sprintf("./%s:%d", c.Path, c.Count))
	}
	if want := rg(t, dir, append([]string{"-c"}, args...)...); !slices.Equal(got, want) {
		t.Errorf("%d counts, want %d: %s", len(got), len(want), difference(got, want))
	}
}

// sameLine compares a line as it is shown with one that is whole.
func sameLine(got, want string, m Match) bool {
	want = strings.TrimSuffix(want, "\r")
	if m.Lossy {
		want = string(bytes.ToValidUTF8([]byte(want), nil))
		got = strings.ReplaceAll(got, "\ufffd", "")
		m.Text = strings.ReplaceAll(m.Text, "\ufffd", "")
	}
	if !m.Clipped {
		return strings.TrimPrefix(want, "\ufeff") == got || want == got
	}
	place, text, _ := strings.Cut(got, m.Text)
	return strings.HasPrefix(want, place) && strings.Contains(want, m.Text) && text == ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// difference shows the first lines that only one has.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if at(got, i) != at(want, i) {
			return fmt.Sprintf("got %q, want %q", at(got, i), at(want, i))
		}
	}
	return ""
}

func searchFor(t *testing.T, dir string, in GrepIn) GrepOut {
	t.Helper()
	return searchIn(t, testEnv(dir), in)
}

func searchIn(t *testing.T, env *tools.Env, in GrepIn) GrepOut {
	t.Helper()
	out, err := grep(context.Background(), env, in)
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	return out
}

// TestAgainstRipgrepCRLF searches random files with CRLF, LF and mixed line ends, also without a last one, for random
// patterns. The lines are those that ripgrep finds in the same files with LF: to an editor they have the same lines.
// TECHO_TEST_LONG=1 makes 10,000 searches.
func TestAgainstRipgrepCRLF(t *testing.T) {
	filestest.Once(t)
	random := testenv.Random(t)
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	const perTree = 20
	searches := 200
	if testenv.Long() {
		searches = 10_000
	}
	dir, plain := t.TempDir(), t.TempDir()
	for n := range searches {
		if n%perTree == 0 {
			for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
				ends, text := [][]string{{"\r\n"}, {"\n"}, {"\r\n", "\n"}}[random.IntN(3)], ""
				for range random.IntN(12) {
					text += strings.Repeat(pick("alpha", "beta", "Beta", "", " ", "\t", "été", "世界", "a1"), random.IntN(3)) +
						pick("", "alpha", " beta", "beta ", "1") + pick(ends...)
				}
				if random.IntN(3) == 0 {
					text = strings.TrimRight(text, "\r\n")
				}
				check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
				check(t, os.WriteFile(filepath.Join(plain, name), []byte(strings.ReplaceAll(text, "\r\n", "\n")), 0o644))
			}
		}
		word := pick("alpha", "beta", "a", "été", "世界", "1", `\w+`, "[^b]", ".", `\s`, "[a-z]*", "(?i)BETA", `\S+`, `\W`, "")
		in := GrepIn{Pattern: cmp.Or(pick("", "", "^", `\b`)+word+pick("", "$", "$", `\s*$`, `.$`, `\b`), "^$"), Path: ".", Limit: 1000}
		args := []string{"-n"}
		for _, flag := range []struct {
			name string
			set  *bool
		}{{"-x", &in.WholeLine}, {"-v", &in.Invert}, {"-i", &in.IgnoreCase}} {
			if random.IntN(5) == 0 {
				*flag.set, args = true, append(args, flag.name)
			}
		}
		var got []string
		for _, m := range searchFor(t, dir, in).Matches {
			got = append(got, fmt.Sprintf("./%s:%d:%s", m.Path, m.Line, m.Text))
		}
		if want := rg(t, plain, append(args, "-e", in.Pattern, ".")...); !slices.Equal(got, want) {
			t.Errorf("%q %q: %d lines, want %d: %s", args, in.Pattern, len(got), len(want), difference(got, want))
		}
	}
}

// TestFileLists compares what glob lists with rg --files.
func TestFileLists(t *testing.T) {
	for _, dir := range append(trees(t), testenv.Root(t)) {
		for _, flags := range []string{"", "--hidden", "--no-ignore", "--hidden --no-ignore"} {
			in := GlobIn{Pattern: "**", Path: ".", Limit: 1 << 30, Hidden: strings.Contains(flags, "--hidden"),
				NoIgnore: strings.Contains(flags, "--no-ignore")}
			out, err := findFiles(context.Background(), testEnv(dir), in)
			if err != nil {
				t.Fatal(err)
			}
			if want := rg(t, dir, append([]string{"--files"}, strings.Fields(flags)...)...); !slices.Equal(out.Paths,
				want) {
				t.Errorf("%s %s: %d files, want %d: %s", dir, flags, len(out.Paths), len(want),
					difference(out.Paths, want))
			}
		}
	}
}

// TestSameOnEveryRun searches with many workers again and again.
func TestSameOnEveryRun(t *testing.T) {
	filestest.Once(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	dir := goTree(t, "go")
	for _, in := range []GrepIn{{Pattern: "func main"}, {Pattern: "世界"}, {Pattern: "return", MaxPerFile: 1},
		{Pattern: "mutex", FilesWithMatches: true}} {
		in.Path, in.Limit = ".", 50
		first := searchFor(t, dir, in)
		for range 10 {
			if again := searchFor(t, dir, in); fmt.Sprint(again) != fmt.Sprint(first) {
				t.Fatalf("%+v:\n%.2000v\nthen\n%.2000v", in, first, again)
			}
		}
	}
}

// TestPages goes through all matches page by page.
func TestPages(t *testing.T) {
	dir := goTree(t, "net")
	for _, in := range []GrepIn{{Pattern: "世界|handshake"}, {Pattern: "mutex", MaxPerFile: 2},
		{Pattern: "RLock", FilesWithMatches: true}} {
		in.Path, in.Limit = ".", 1000
		whole := searchFor(t, dir, in)
		in.Limit = 7
		var matches []Match
		var paths []string
		for {
			page := searchFor(t, dir, in)
			matches, paths = append(matches, page.Matches...), append(paths, page.Paths...)
			if in.Cursor = page.NextCursor; in.Cursor == "" || len(matches)+len(paths) >= 1000 {
				break
			}
		}
		if n := min(1000, len(matches)); fmt.Sprint(matches[:n]) != fmt.Sprint(whole.Matches) ||
			fmt.Sprint(paths) != fmt.Sprint(whole.Paths) && len(paths) > 0 {
			t.Errorf("%+v: %d matches and %d paths in pages, %d and %d at once", in, len(matches), len(paths),
				len(whole.Matches), len(whole.Paths))
		}
	}
}

// TestAgainstRipgrepOverLines compares matches that go over the ends of lines.
func TestAgainstRipgrepOverLines(t *testing.T) {
	filestest.Once(t)
	dir := goTree(t, "go")
	for _, pattern := range []string{`func \w+\(\) \{\n\treturn`, `\}\n\nfunc init`, `import \(\n(\t"[a-z]+"\n){2}\)`,
		`^package main\n\n`} {
		out := searchFor(t, dir, GrepIn{Pattern: pattern, Path: ".", Limit: 1000, Multiline: true})
		var got []string
		for _, m := range out.Matches {
			for i, text := range strings.Split(m.Text, "\n") {
				got = append(got, fmt.Sprintf("./%s:%d:%s", m.Path, m.Line+i, text))
			}
		}
		want := rg(t, dir, "-n", "-U", "--no-unicode", "-e", pattern, ".")
		if len(out.Matches) == 1000 {
			want = want[:min(len(want), len(got))]
		}
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: %d lines, want %d: %s", pattern, len(got), len(want), difference(got, want))
		}
	}
}

// TestMultilineNext expects a match that begins at the line end behind another match, as
// in Python's re. (ripgrep 13 goes on behind that line end.)
func TestMultilineNext(t *testing.T) {
	dir := putFiles(t, map[string]string{"f": " k_aXa\na-\nx x\n"})
	out := searchFor(t, dir, GrepIn{Pattern: `(?:((\S|\b)| [A-Z](?i)k)){1,4}[^x][A-Z]\S`, Path: ".", Limit: 9,
		Multiline: true, IgnoreCase: true, OnlyMatching: true})
	var got []string
	for _, m := range out.Matches {
		got = append(got, m.Text)
	}
	if want := []string{"k_aXa", "\na-"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
