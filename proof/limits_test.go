//go:build unix

package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// limited returns a caller that runs under a limit of the shell (ulimit).
func limited(store, limit string) caller {
	return func(t *testing.T, args ...string) answer {
		t.Helper()
		a := collect(limitedCommand(t, store, limit, args...))
		a.wantClean(t)
		return a
	}
}

func limitedCommand(t *testing.T, store, limit string, args ...string) *exec.Cmd {
	words := append([]string{"-c", "ulimit " + limit + ` && exec "$0" "$@"`, program, "--store", store}, args...)
	c := exec.CommandContext(t.Context(), "sh", words...)
	c.Env = environment()
	return c
}

// TestLimitFileSize checks that a limit on the size of files acts like a full disk.
func TestLimitFileSize(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	makeStore(t, dir, false)
	large := []string{"memo", "add", "large", strings.Repeat("x", 40_000), "--priority", "3"}
	limited(dir, "-f 16").refused(t, "no_space", 6, large...)
	on(dir).ok(t, append(reads, large, []string{"memo", "get", "large"})...)
}

// TestLimitFiles checks that with few file descriptors the answer is an error with
// a code. With about eight Go's runtime does not start; how many depends on the
// descriptors that the test inherited.
func TestLimitFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	makeStore(t, dir, true)
	served := 0
	for n := 8; n < 32; n++ {
		limit := fmt.Sprint("-n ", n)
		if n < 16 && !starts(t, limit) {
			continue
		}
		a := limited(dir, limit)(t, gets...)
		if a.Code == 0 {
			served++
		} else if a.errorCode() != "limit_exceeded" || a.Code != 5 {
			t.Errorf("%d files: %v", n, a)
		}
	}
	if served == 0 {
		t.Error("32 files are too few")
	}
	on(dir).ok(t, reads...)
}

func starts(t *testing.T, limit string) bool {
	out, err := limitedCommand(t, t.TempDir(), limit, "version").CombinedOutput()
	return err == nil || !strings.Contains(string(out), "fatal error: runtime:")
}

// TestRestoreOverlay restores over a store in a lower layer, which overlayfs
// does not rename.
func TestRestoreOverlay(t *testing.T) {
	around := t.TempDir()
	for _, name := range []string{"lower", "upper", "work", "all"} {
		if err := os.Mkdir(filepath.Join(around, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	makeStore(t, filepath.Join(around, "lower", "store"), true)
	backup := filepath.Join(around, "backup")
	mustTecho(t, filepath.Join(around, "lower", "store"), "store", "backup", backup)
	options := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", around)
	all := filepath.Join(around, "all")
	mount(t, all, "-t", "overlay", "overlay", "-o", options)
	dir := filepath.Join(all, "store")
	on(dir).ok(t, adds, []string{"store", "restore", backup, "--force"})
	if got := contentsOf(t, dir); len(got) != 2 {
		t.Errorf("restored: %v", got)
	}
	if got := contentsOf(t, dir+".before-1"); len(got) != 3 {
		t.Errorf("kept: %v", got)
	}
	on(dir).ok(t, append(reads, adds)...)
}
