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

// TestRelease builds a release of the current commit for two systems, and compares it with
// another one: of all systems in the folder that TECHO_TEST_RELEASE names, or else built
// again. The checksums are equal, each archive has everything that a user needs, and the
// packages work.
func TestRelease(t *testing.T) {
	testenv.All(t, "builds a release twice")
	if runtime.GOOS != "linux" {
		testenv.Missing(t, "Linux, where releases are made")
	}
	for _, tool := range []string{"bash", "git", "zip", "unzip", "dpkg-deb"} {
		testenv.Tool(t, tool)
	}
	folder, others := release(t), os.Getenv("TECHO_TEST_RELEASE")
	sums, n := checksums(t, folder), 38
	if others == "" {
		others, n = release(t), 14
	}
	again := checksums(t, others)
	if len(sums) != 14 || len(again) != n {
		t.Errorf("%d and %d files, want 14 and %d:\n%q\n%q", len(sums), len(again), n, sums, again)
	}
	for _, line := range sums {
		// The main package of npm names the packages of the release's systems.
		main := regexp.MustCompile(` npm/techo-\d`).MatchString(line)
		if !slices.Contains(again, line) && (n == 14 || !main) {
			t.Errorf("two builds differ: %s\n%q", line, again)
		}
	}
	installs(t, others)
	documentedPackages(t, others)
	for _, line := range sums {
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

func readmeLinks(t *testing.T) (paths []string) {
	t.Helper()
	for _, link := range regexp.MustCompile(`\]\(([^():#]+)(?:#[^()]*)?\)`).FindAllStringSubmatch(readPage(t, "README.md"), -1) {
		paths = append(paths, "/"+link[1])
	}
	if len(paths) < 15 {
		t.Errorf("found only the links %q", paths)
	}
	return paths
}

func release(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if out, err := exec.CommandContext(t.Context(), ".ci/release", folder, "linux/amd64",
		"windows/amd64").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

func checksums(t *testing.T, folder string) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(readPage(t, filepath.Join(folder, "SHA256SUMS"))), "\n")
}

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
