package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestRelease builds a release of the current commit twice, for two systems. The
// checksums are equal, and each archive has everything that a user needs.
func TestRelease(t *testing.T) {
	testenv.All(t, "builds a release twice")
	if runtime.GOOS != "linux" {
		testenv.Missing(t, "Linux, where releases are made")
	}
	for _, tool := range []string{"bash", "git", "zip", "unzip", "dpkg-deb"} {
		testenv.Tool(t, tool)
	}
	folder, sums := release(t)
	if _, again := release(t); again != sums {
		t.Errorf("two builds differ:\n%s\n%s", sums, again)
	}
	if n := strings.Count(sums, "\n"); n != 14 {
		t.Errorf("%d files, want two archives and twelve packages:\n%s", n, sums)
	}
	installs(t, folder)
	documentedPackages(t, folder)
	for line := range strings.Lines(sums) {
		name := strings.Fields(line)[1]
		if !strings.HasSuffix(name, ".tar.gz") && !strings.HasSuffix(name, "amd64.zip") &&
			!strings.HasSuffix(name, ".deb") {
			continue
		}
		list := listArchive(t, filepath.Join(folder, name))
		want := append(readmeLinks(t), "/LICENSE", "/THIRD_PARTY_NOTICES", "/man/techo-memo-add.1",
			"/completions/techo.ps1")
		if strings.HasSuffix(name, ".deb") {
			want = []string{"/usr/bin/techo", "/doc/techo/copyright", "/man1/techo-memo-add.1.gz",
				"/bash-completion/completions/techo", "/vendor-completions/_techo"}
		}
		for _, end := range want {
			if !slices.ContainsFunc(list, func(path string) bool {
				return strings.HasSuffix(strings.TrimSuffix(path, "/"), end) // a folder ends with /
			}) {
				t.Errorf("%s lacks %s: %q", name, end, list)
			}
		}
	}
}

// readmeLinks returns the paths of the repository that the README refers to.
func readmeLinks(t *testing.T) (paths []string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range regexp.MustCompile(`\]\(([^():#]+)(?:#[^()]*)?\)`).FindAllStringSubmatch(string(text), -1) {
		paths = append(paths, "/"+link[1])
	}
	if len(paths) < 15 {
		t.Errorf("found only the links %q", paths)
	}
	return paths
}

func release(t *testing.T) (folder, sums string) {
	t.Helper()
	folder = t.TempDir()
	if out, err := exec.CommandContext(t.Context(), ".ci/release", folder, "linux/amd64",
		"windows/amd64").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	return folder, string(text)
}

// listArchive returns the paths in an archive or a package.
func listArchive(t *testing.T, path string) []string {
	t.Helper()
	list := []string{"tar", "-tzf", path}
	switch filepath.Ext(path) {
	case ".zip":
		list = []string{"unzip", "-Z1", path}
	case ".deb":
		list = []string{"dpkg-deb", "--contents", path}
	}
	out, err := exec.CommandContext(t.Context(), list[0], list[1:]...).Output()
	if err != nil {
		t.Fatalf("%q: %v", list, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
