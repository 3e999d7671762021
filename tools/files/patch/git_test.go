package patch

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/edit"
	"techo/tools/files/filestest"
)

// treeEntry is a file or a link of a generated tree.
type treeEntry struct {
	text       string
	executable bool
	link       bool
}

// generator makes pairs of trees and the diffs between them.
type generator struct {
	*rand.Rand
	encoding document.Encoding // of some files, or ""
}

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// path returns a path; few names, so that files and folders take each other's places.
func (g *generator) path() string {
	name := func() string { return pick(g, "a", "b", "mod", "x y", "日本", "é", "q\"t", "tab\tbed", "b.txt") }
	switch g.IntN(5) {
	case 0:
		return name() + "/" + name()
	case 1:
		return pick(g, "a", "b", "mod") + "/" + pick(g, "a", "b") + "/" + name()
	}
	return name()
}

// entry returns a random file or link.
func (g *generator) entry() treeEntry {
	if g.IntN(12) == 0 {
		return treeEntry{text: pick(g, "a", "b/a", "mod", "nowhere", "x y"), link: true}
	}
	var lines []string
	for range g.IntN(30) {
		lines = append(lines, g.line()+pick(g, "\n", "\n", "\n", "\r\n"))
	}
	if g.IntN(3) > 0 { // one kind of line ends
		end := pick(g, "\n", "\r\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], "\r\n") + end
		}
	}
	text := strings.Join(lines, "")
	if g.IntN(5) == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	if g.encoding == "" && g.IntN(5) == 0 {
		text = mark + text
	}
	return treeEntry{text: text, executable: g.IntN(5) == 0}
}

func (g *generator) line() string {
	return pick(g, "a", "b", "}", "", "\treturn nil", "if x {", "表示", "- item", "+ plus", "@@ at", "--- x", "能力 ") +
		pick(g, "", "", " 1", " 2", " 3")
}

// tree returns a random tree. A path is never below a file.
func (g *generator) tree(n int) map[string]treeEntry {
	t := map[string]treeEntry{}
	for range n {
		put2(t, g.path(), g.entry())
	}
	return t
}

// put2 adds an entry and removes what is in its way.
func put2(t map[string]treeEntry, path string, e treeEntry) {
	for other := range maps.Clone(t) {
		if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
			delete(t, other)
		}
	}
	t[path] = e
}

func (g *generator) change(t map[string]treeEntry) map[string]treeEntry {
	t = maps.Clone(t)
	for range 1 + g.IntN(5) {
		names := slices.Sorted(maps.Keys(t))
		if len(names) == 0 {
			break
		}
		name := pick(g, names...)
		e := t[name]
		switch g.IntN(11) {
		case 0:
			delete(t, name)
		case 1:
			delete(t, name)
			put2(t, g.path(), e)
		case 2:
			put2(t, g.path(), e)
		case 3:
			put2(t, g.path(), g.entry())
		case 4:
			e.executable = !e.executable && !e.link
			t[name] = e
		case 5:
			e.text = strings.ReplaceAll(e.text, "\r\n", "\n")
			t[name] = e
		case 6:
			if !e.link {
				e.text = strings.ReplaceAll(strings.ReplaceAll(e.text, "\r\n", "\n"), "\n", "\r\n")
				t[name] = e
			}
		case 7:
			if !e.link && g.encoding == "" {
				if bare, had := strings.CutPrefix(e.text, mark); had {
					e.text = bare
				} else {
					e.text = mark + e.text
				}
				t[name] = e
			}
		default:
			if e.link {
				t[name] = g.entry()
				break
			}
			lines := strings.SplitAfter(e.text, "\n")
			for range 1 + g.IntN(3) {
				at := g.IntN(len(lines) + 1)
				end := min(len(lines), at+g.IntN(3))
				lines = slices.Concat(lines[:at], []string{g.line() + pick(g, "\n", "\n", "\r\n")}, lines[end:])
			}
			e.text = strings.Join(lines, "")
			t[name] = e
		}
	}
	return t
}

// write makes the tree in an empty folder.
func (g *generator) write(t *testing.T, dir string, tree map[string]treeEntry) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		if e.Name() != ".git" {
			check(t, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	for name, e := range tree {
		path := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if e.link {
			check(t, os.Symlink(e.text, path))
			continue
		}
		mode := fs.FileMode(0o644)
		if e.executable {
			mode = 0o755
		}
		raw := []byte(e.text)
		if g.encoding != "" {
			raw = filestest.Encoded(t, string(g.encoding), e.text)
		}
		check(t, os.WriteFile(path, raw, mode))
	}
}

// read returns a folder with modes, links and empty folders.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	check(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.IsDir():
			all[name] = "folder"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[name] = "link " + target
			return err
		default:
			info, err := e.Info()
			if err != nil {
				return err
			}
			b, err := os.ReadFile(path)
			all[name] = fmt.Sprintf("%v %s", info.Mode().Perm()&0o100 != 0, b)
			return err
		}
		return nil
	}))
	return all
}

// TestPatchTreesAgainstGit applies the diffs between random trees. The result must be the tree of git apply, and undo
// must restore the tree before. TECHO_TEST_ALL=1 with TECHO_TEST_LONG=1 tries 3,000.
func TestPatchTreesAgainstGit(t *testing.T) {
	git := testenv.Tool(t, "git")
	g := &generator{Rand: testenv.Random(t)}
	base := t.TempDir()
	for _, name := range []string{"from", "git", "techo"} {
		check(t, os.Mkdir(filepath.Join(base, name), 0o755))
	}
	run := func(dir string, stdin []byte, args ...string) ([]byte, error) {
		cmd := exec.Command(git, append([]string{"-c", "core.autocrlf=false", "-c", "core.safecrlf=false"}, args...)...)
		cmd.Dir, cmd.Stdin = filepath.Join(base, dir), bytes.NewReader(stdin)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+base, "HOME="+base, "GIT_CONFIG_NOSYSTEM=1")
		return cmd.Output()
	}
	must := func(out []byte, err error) []byte { check(t, err); return out }
	must(run("from", nil, "init", "-q", "."))
	store := filestest.WithStore(t, filepath.Join(base, "techo"))
	applied := 0
	for n := cases(); n > 0; n-- {
		g.encoding = pick[document.Encoding](g, "", "", "", "", "shift_jis", "euc-jp")
		before := g.tree(1 + g.IntN(8))
		after := g.change(before)
		if g.encoding != "" {
			for _, tree := range []map[string]treeEntry{before, after} {
				for name, e := range tree {
					e.text = strings.ReplaceAll(e.text, mark, "")
					tree[name] = e
				}
			}
		}
		g.write(t, filepath.Join(base, "from"), before)
		must(run("from", nil, "add", "-A", "."))
		was := strings.TrimSpace(string(must(run("from", nil, "write-tree"))))
		g.write(t, filepath.Join(base, "from"), after)
		must(run("from", nil, "add", "-A", "."))
		prefixes := pick(g, []string{"--src-prefix=a/", "--dst-prefix=b/"}, []string{"--no-prefix"},
			[]string{"--src-prefix=c/", "--dst-prefix=i/"}, []string{"--src-prefix=old/", "--dst-prefix=new/"})
		args := slices.Concat([]string{"diff", "--cached", "--text", fmt.Sprintf("-U%d", g.IntN(4)),
			pick(g, "-M", "-C", "--no-renames", "-C50%"), pick(g, "--full-index", "--abbrev=7"),
			pick(g, "--find-copies-harder", "--text")}, prefixes, []string{was})
		diff := must(run("from", nil, args...))
		if len(diff) == 0 {
			continue
		}
		strip := "-p1"
		if prefixes[0] == "--no-prefix" {
			strip = "-p0"
		}
		for _, dir := range []string{"git", "techo"} {
			g.write(t, filepath.Join(base, dir), before)
		}
		start := readTree(t, filepath.Join(base, "techo"))
		if _, err := run("git", diff, "apply", "--unidiff-zero", "--whitespace=nowarn", strip, "-"); err != nil {
			continue // git does not apply its own diff, for example over a link that it makes
		}
		env := *store
		env.Host.Stdin = diff
		_, err := applyPatch(t.Context(), &env, In{Patch: "-", Parents: true, Encoding: g.encoding})
		want, got := readTree(t, filepath.Join(base, "git")), readTree(t, filepath.Join(base, "techo"))
		if err != nil {
			t.Errorf("%v\n%s\n%v", tools.AsError(&env, err).Details, diff, err)
			continue
		}
		if !maps.Equal(want, got) {
			t.Errorf("%s\ngot  %q\nwant %q", diff, got, want)
			continue
		}
		applied++
		if maps.Equal(start, got) {
			continue
		}
		if _, err := filestest.Call[edit.UndoOut](t.Context(), edit.Undo, &env, edit.UndoIn{}); err != nil {
			t.Errorf("undo: %v\n%s", err, diff)
			continue
		}
		if got := readTree(t, filepath.Join(base, "techo")); !maps.Equal(start, got) {
			t.Errorf("%s\nundone %q\nwas    %q", diff, got, start)
		}
	}
	t.Logf("%d applied", applied)
}

// cases returns how many diffs a test tries.
func cases() int {
	if testenv.Long() {
		return 3000
	}
	return 200
}
