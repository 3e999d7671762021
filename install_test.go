package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// installs installs the built packages into empty folders, and uses them.
func installs(t *testing.T, folder string) {
	t.Helper()
	one := func(pattern string) string {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %q %v", pattern, found, err)
		}
		return found[0]
	}
	dir := t.TempDir()
	run := func(program string, args ...string) string {
		c := exec.CommandContext(t.Context(), program, args...)
		c.Dir, c.Env = dir, append(os.Environ(), "TECHO_STORE="+filepath.Join(dir, "store"), "TECHO_LANG=en")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	added := func(out string) {
		if !strings.Contains(out, "Memo added") {
			t.Errorf("no memo: %s", out)
		}
	}
	run(testenv.Tool(t, "python3"), "-m", "venv", "venv")
	run("venv/bin/pip", "install", "--quiet", "--no-index", one("pypi/*manylinux*.whl"))
	added(run("venv/bin/techo", "memo", "add", "wheel", "x", "--priority", "1"))
	added(run("venv/bin/python", "-c", "from techo import Techo; print(Techo().add_memo('module', 'x', 1))"))

	run(testenv.Tool(t, "npm"), "install", "--no-audit", "--no-fund", "--offline", "--omit=optional",
		one("npm/techo-linux-x64-*.tgz"), one("npm/techo-[0-9]*.tgz"))
	added(run("node_modules/.bin/techo", "memo", "add", "npm", "x", "--priority", "1"))
	added(run("node", "--input-type=module", "-e",
		"import { Techo } from 'techo'; "+
			"console.log(await new Techo().add_memo({name: 'js', content: 'x', priority: 1}))"))

	run("unzip", "-qo", one("techo-*-linux-amd64.mcpb"), "-d", "bundle")
	added(run("bundle/server/techo", "memo", "add", "bundle", "x", "--priority", "1"))
	run("unzip", "-qo", one("techo-claude-plugin-*.zip"), "-d", "plugin")
	run("tar", "-xf", one("techo-image-*-amd64.tar"))
}
