package ignore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

func oneOf(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// line generates a line of a .gitignore file, often an unusual one.
func line(r *rand.Rand) string {
	element := func() string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(oneOf(r, "a", "b", "ab", "c", ".o", "*", "*", "?", "**", "[ab]", "[!a]", "[^b]", "[a-c]",
				"[]a]", "[!]b]", "[a-]", "[[:alpha:]]", "[[:x:]]", "[\\]]", "[a", `\a`, `\*`, " ", "#", "!", `\ `, "-",
				"é", "A", "B", ".O", "[A-C]", "[A]", "\\A", "[[:upper:]]", "[!A-B]"))
		}
		return b.String()
	}
	text := element()
	for range r.IntN(3) {
		text += "/" + oneOf(r, element(), element(), "**", "*")
	}
	return oneOf(r, "", "", "", "!", "/", "!/", "**/", "#", `\!`, `\#`) + text +
		oneOf(r, "", "", "", "/", "/**", "/*", " ", "  ", `\ `, "\t", "\r", `\`)
}

// name generates a path element.
func name(r *rand.Rand) string {
	return oneOf(r, "a", "b", "c", "ab", "a.o", "b.o", "aa", "ba", "abc", "-", "a b", "a ", "]", "é", "#a", "!a", "*",
		"ac", "xa", "[a", "a]", "A", "aB", "b.O", "É", "AB")
}

// TestAgainstGit compares the verdicts for thousands of paths with git's own, in
// trees with rules files on all levels.
func TestAgainstGit(t *testing.T) {
	git := testenv.Tool(t, "git")
	r := testenv.Random(t)
	ignored := 0
	for i := range 24 {
		fold := i%3 == 0 // core.ignoreCase
		dir := t.TempDir()
		if out, err := exec.Command(git, "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v\n%s", err, out)
		}
		folders := grow(t, r, dir)
		var asked []string
		for range 150 {
			at := folders[r.IntN(len(folders))]
			if r.IntN(4) == 0 && at != "." {
				asked = append(asked, at)
				continue
			}
			asked = append(asked, path.Join(at, name(r)))
		}
		want := checkIgnore(t, git, dir, asked, fold)
		for i, p := range asked {
			if got := ignoredBy(t, dir, p, fold); got != want[i] {
				t.Errorf("%q: ignored %v, git says %v (ignoreCase %v)\n%s", p, got, want[i], fold,
					files(dir, p))
			}
			if want[i] {
				ignored++
			}
		}
	}
	t.Logf("3600 paths, %d ignored", ignored)
	if ignored < 200 {
		t.Error("hardly anything was ignored")
	}
}

// grow creates folders, some with rules files.
func grow(t *testing.T, r *rand.Rand, dir string) []string {
	t.Helper()
	folders := []string{"."}
	for range 15 {
		f := path.Join(folders[r.IntN(len(folders))], name(r))
		if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, f)
	}
	for i, f := range folders {
		if i > 0 && r.IntN(3) > 0 {
			continue
		}
		var text bytes.Buffer
		if r.IntN(5) == 0 {
			text.WriteString("\xef\xbb\xbf")
		}
		for range 1 + r.IntN(6) {
			text.WriteString(line(r) + oneOf(r, "\n", "\n", "\r\n"))
		}
		text.WriteString(oneOf(r, "", line(r)))
		if err := os.WriteFile(filepath.Join(dir, f, ".gitignore"), text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folders
}

func checkIgnore(t *testing.T, git, dir string, asked []string, fold bool) []bool {
	t.Helper()
	cmd := exec.Command(git, "-c", "core.excludesFile=", "-c", fmt.Sprint("core.ignoreCase=", fold),
		"check-ignore", "--no-index", "-z", "-v", "-n", "--stdin")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(strings.Join(asked, "\x00") + "\x00")
	out, _ := cmd.Output() // exit code 1 means that nothing is ignored
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields) != 4*len(asked) {
		t.Fatalf("git check-ignore: %d fields for %d paths", len(fields), len(asked))
	}
	var all []bool
	for f := range slices.Chunk(fields, 4) {
		rule := f[2]
		all = append(all, rule != "" && !strings.HasPrefix(rule, "!"))
	}
	return all
}

// ignoredBy descends to a path like a directory walk: everything below an ignored
// folder is ignored.
func ignoredBy(t *testing.T, dir, p string, fold bool) bool {
	t.Helper()
	steps := strings.Split(p, "/")
	for i := range steps {
		at := strings.Join(steps[:i+1], "/")
		st, _ := os.Lstat(filepath.Join(dir, at))
		verdict := Silent
		for up := i; up >= 0 && verdict == Silent; up-- {
			text, err := os.ReadFile(filepath.Join(dir, strings.Join(steps[:up], "/"), ".gitignore"))
			if err != nil {
				continue
			}
			verdict = Parse(text, fold).Match([]byte(strings.Join(steps[up:i+1], "/")), []byte(steps[i]), isFolder(st))
		}
		if verdict == Ignored {
			return true
		}
	}
	return false
}

func isFolder(st os.FileInfo) bool { return st != nil && st.IsDir() }

// files returns the rules files that apply to a path, for the failure message.
func files(dir, p string) string {
	var b strings.Builder
	for at := path.Dir(p); ; at = path.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(dir, at, ".gitignore")); err == nil {
			fmt.Fprintf(&b, "%s/.gitignore: %q\n", at, text)
		}
		if at == "." {
			return b.String()
		}
	}
}

// TestStars checks that patterns with many stars terminate quickly.
func TestStars(t *testing.T) {
	r := Parse([]byte(strings.Repeat("*a", 40)+"b\n"+strings.Repeat("**/a*/", 20)+"b\n"), false)
	text := strings.Repeat("a", 300)
	began := time.Now()
	for range 10 {
		r.Match([]byte(text), []byte(text), false)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// FuzzRules checks that the indexes do not change the result: the verdict of a
// file equals the verdict of its last rule that matches on its own.
func FuzzRules(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add(line(r)+"\n"+line(r)+"\n"+line(r), name(r)+"/"+name(r), r.IntN(2) == 0)
	}
	f.Fuzz(func(t *testing.T, text, p string, folder bool) {
		fold := len(text)%2 == 0
		p = strings.Trim(p, "/")
		if p == "" || strings.ContainsAny(p, "\x00") {
			return
		}
		base := p[strings.LastIndexByte(p, '/')+1:]
		want := Silent
		for l := range strings.Lines(strings.TrimPrefix(text, "\xef\xbb\xbf")) {
			if v := Parse([]byte("#\n"+l), fold).Match([]byte(p), []byte(base), folder); v != Silent {
				want = v
			}
		}
		if got := Parse([]byte(text), fold).Match([]byte(p), []byte(base), folder); got != want {
			t.Errorf("%q and %q: %v, want %v", text, p, got, want)
		}
	})
}
