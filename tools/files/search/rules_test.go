package search

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools/files/filestest"
)

// gitRules is a repository whose ignored files depend on git's settings.
type gitRules struct {
	name   string
	home   map[string]string // files in the home folder; .gitconfig is its configuration
	files  map[string]string // files in the work tree, beside the ones that may be ignored
	config string            // added to .git/config
	branch string            // to check out
	links  map[string]string // symbolic links in the work tree
	at     string            // where the search starts
	want   int               // number of files of candidates that are not ignored, or -1

	refused bool // git lists no files
}

// candidates are the files of every work tree.
var candidates = []string{"a.o", "A.O", "b.O", "Build/x", "build/x", "sub/a.o", "sub/deep/c.tmp", "keep.txt"}

func gitCases() []gitRules {
	mine := "[core]\n\texcludesFile = ~/mine\n"
	rule := map[string]string{".gitignore": "*.o\n"}
	return []gitRules{
		{name: "include", home: map[string]string{".gitconfig": "[include]\n\tpath = more/extra\n",
			"more/extra": mine, "mine": "*.o\n"}, want: 6},
		{name: "include of an include, with ~", home: map[string]string{".gitconfig": "[include]\n\tpath = ~/one\n",
			"one": "[Include]\n\tPath = \"two\"\n", "two": mine, "mine": "*.tmp\n"}, want: 7},
		{name: "a later setting wins", home: map[string]string{".gitconfig": mine + "[include]\n\tpath = other\n" +
			"[core]\n\texcludesfile = ~/last ; comment\n", "other": "[core]\n\texcludesFile = ~/other.rules\n",
			"mine": "*.o\n", "other.rules": "*.o\n", "last": "*.tmp\n"}, want: 7},
		{name: "a loop of includes", home: map[string]string{".gitconfig": mine + "[include]\n\tpath = .gitconfig\n",
			"mine": "*.tmp\n"}, refused: true, want: 7},
		{name: "condition on the folder", home: map[string]string{".gitconfig": "[includeIf \"gitdir:**/tree/\"]\n" +
			"\tpath = yes\n[includeIf \"gitdir:/nowhere/\"]\n\tpath = no\n", "yes": mine,
			"no": "[core]\nexcludesFile=~/none", "mine": "*.o\n"}, want: 6},
		{name: "condition on the branch", home: map[string]string{".gitconfig": "[includeIf \"onbranch:topic/*\"]\n" +
			"\tpath = yes\n", "yes": mine, "mine": "*.o\n"}, branch: "topic/x", want: 6},
		{name: "another branch", home: map[string]string{".gitconfig": "[includeIf \"onbranch:topic/\"]\n" +
			"\tpath = yes\n", "yes": mine, "mine": "*.o\n"}, branch: "main", want: 8},
		{name: "ignorecase", config: "[core]\n\tignorecase = true\n", files: map[string]string{
			".gitignore": "*.o\nBUILD/\n"}, want: 2},
		{name: "ignorecase as a bare key", config: "[core]\n\tignoreCase\n", files: rule, want: 4},
		{name: "no ignorecase", config: "[core]\n\tignorecase = false\n", files: rule, want: 6},
		{name: "relative excludesFile", config: "[core]\n\texcludesFile = sub/rules\n",
			files: map[string]string{"sub/rules": "*.o\nrules\n"}, want: 6},
		{name: "relative excludesFile, from below", config: "[core]\n\texcludesFile = sub/rules\n",
			files: map[string]string{"sub/rules": "*.o\nrules\n"}, at: "sub", want: -1},
		{name: "empty excludesFile", home: map[string]string{".gitconfig": mine, "mine": "*.o\n"},
			config: "[core]\n\texcludesFile =\n", want: 8},
		{name: "default excludes", home: map[string]string{"git/ignore": "*.o\n"}, want: 6},
		{name: "a linked .gitignore", files: map[string]string{"rules": "*\n"},
			links: map[string]string{".gitignore": "rules"}, want: -1},
		{name: "a linked .gitignore above the start", files: map[string]string{"rules": "*\n"},
			links: map[string]string{".gitignore": "rules"}, at: "sub", want: -1},
		{name: "continued line", home: map[string]string{".gitconfig": "[core]\n\texcludesFile = ~/mi\\\nne\n",
			"mine": "*.o\n"}, want: 6},
	}
}

// TestGitConfig compares the files that are not ignored with git's, for many settings.
func TestGitConfig(t *testing.T) {
	testenv.Tool(t, "git")
	for _, c := range gitCases() {
		t.Run(c.name, func(t *testing.T) {
			home, tree := putFiles(t, c.home), filepath.Join(t.TempDir(), "tree")
			for _, name := range candidates {
				check(t, os.MkdirAll(filepath.Join(tree, filepath.Dir(name)), 0o755))
				put(t, filepath.Join(tree, name), "text")
			}
			for name, text := range c.files {
				put(t, filepath.Join(tree, name), text)
			}
			for name, to := range c.links {
				filestest.Link(t, to, filepath.Join(tree, name))
			}
			check(t, exec.Command("git", "init", "-q", "-b", max(c.branch, "master"), tree).Run())
			f, err := os.OpenFile(filepath.Join(tree, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
			check(t, err)
			_, err = f.WriteString(c.config)
			check(t, err)
			check(t, f.Close())
			env := testEnv(tree)
			env.Dir = filepath.Join(tree, c.at)
			env.Host.Home, env.Host.Config, env.Host.GitConfig = home, home, []string{filepath.Join(home, ".gitconfig")}
			out, err := findFiles(context.Background(), env, GlobIn{Pattern: "**", Path: ".", Limit: 1000})
			check(t, err)
			got := slices.Sorted(slices.Values(out.Paths))
			git := exec.Command("git", "ls-files", "--others", "--exclude-standard")
			git.Dir = filepath.Join(tree, c.at)
			git.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
			listed, err := git.Output()
			want := slices.DeleteFunc(strings.Fields(string(listed)),
				func(p string) bool { return strings.HasPrefix(p, ".git") })
			slices.Sort(want)
			if (err != nil) != c.refused || err == nil && !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q, %v", got, want, err)
			}
			found := slices.DeleteFunc(got, func(p string) bool { return !slices.Contains(candidates, p) })
			if c.want >= 0 && len(found) != c.want {
				t.Errorf("%d of the files, want %d: %q", len(found), c.want, found)
			}
		})
	}
}

// TestLargeRules leaves out a file with rules that is too large, wherever it is.
func TestLargeRules(t *testing.T) {
	rules := strings.Repeat("# comment\n", maxRules/10) + "*.tmp\nkeep.txt\n"
	dir := putFiles(t, map[string]string{".ignore": rules, "sub/x.tmp": "x", "sub/keep.txt": "x"})
	for _, at := range []string{".", "sub"} {
		out, err := findFiles(context.Background(), testEnv(dir), GlobIn{Pattern: "**/*.t*", Path: at, Limit: 10})
		check(t, err)
		if len(out.Paths) != 2 {
			t.Errorf("from %s: %q", at, out.Paths)
		}
	}
}
