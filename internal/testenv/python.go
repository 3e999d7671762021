package testenv

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// Python makes an environment of its own for Python and installs packages there, with the arguments of pip.
// It returns its Python. A test without python3 or a package index is Missing.
func Python(t testing.TB, packages ...string) string {
	t.Helper()
	python := Tool(t, "python3")
	bin := filepath.Join(t.TempDir(), "venv", "bin")
	ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute)
	defer stop()
	for _, line := range [][]string{
		{python, "-m", "venv", filepath.Dir(bin)},
		append([]string{filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check",
			"--prefer-binary"}, packages...),
	} {
		out, err := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput()
		if noIndex.Match(out) || ctx.Err() != nil {
			Missing(t, "a package index is needed: "+string(out))
		} else if err != nil {
			t.Fatalf("%q: %v\n%s", line, err, out)
		}
	}
	return filepath.Join(bin, "python")
}

// noIndex is pip's error without a network, or python's without pip.
var noIndex = regexp.MustCompile(`from versions: none|ConnectionError|Timeout|No module named pip`)
