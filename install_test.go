package main

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
	run := running(t, dir)
	added := func(out string) {
		if !strings.Contains(out, "Memo added") {
			t.Errorf("no memo: %s", out)
		}
	}
	run(testenv.Tool(t, "python3"), "-m", "venv", "venv")
	run("venv/bin/pip", "install", "--quiet", "--no-index", one("pypi/*manylinux*x86_64*.whl"))
	added(run("venv/bin/techo", "memo", "add", "wheel", "x", "--priority", "1"))
	added(run("venv/bin/python", "-c", "from techo import Techo; print(Techo().add_memo('module', 'x', 1))"))

	run(testenv.Tool(t, "npm"), "install", "--no-audit", "--no-fund", "--offline", "--omit=optional",
		one("npm/techo-linux-x64-*.tgz"), one("npm/techo-[0-9]*.tgz"))
	added(run("node_modules/.bin/techo", "memo", "add", "npm", "x", "--priority", "1"))
	added(run("node", "--input-type=module", "-e",
		"import { Techo } from 'techo'; "+
			"console.log(await new Techo().add_memo({name: 'js', content: 'x', priority: 1}))"))

	run("dpkg-deb", "-x", one("techo_*_amd64.deb"), "deb")
	added(run("deb/usr/bin/techo", "memo", "add", "deb", "x", "--priority", "1"))
	run(testenv.Tool(t, "rpm"), "--root", filepath.Join(dir, "rpm"), "-i", "--nodeps", one("techo-*.x86_64.rpm"))
	added(run("rpm/usr/bin/techo", "memo", "add", "rpm", "x", "--priority", "1"))

	run("npx", "--yes", "@anthropic-ai/mcpb@2.1.2", "info", one("techo-*-linux-amd64.mcpb"))
	run("unzip", "-qo", one("techo-*-linux-amd64.mcpb"), "-d", "bundle")
	run("npx", "--yes", "@anthropic-ai/mcpb@2.1.2", "validate", "bundle/manifest.json")
	added(run("bundle/server/techo", "memo", "add", "bundle", "x", "--priority", "1"))
	run("unzip", "-qo", one("techo-claude-plugin-*.zip"), "-d", "plugin")
	for _, program := range []string{"venv/bin/techo", "node_modules/.bin/techo", "deb/usr/bin/techo",
		"rpm/usr/bin/techo", "bundle/server/techo"} {
		greets(t, exec.CommandContext(t.Context(), filepath.Join(dir, program), "mcp"), dir)
	}
	if formula, _ := filepath.Glob(filepath.Join(folder, "homebrew", "techo.rb")); formula != nil { // of all systems
		cellar := filepath.Join(dir, "cellar")
		run("mkdir", cellar)
		run(testenv.Tool(t, "ruby"), filepath.Join(testenv.Root(t), "packaging/build/testdata/formula.rb"), formula[0], "linux", "amd64",
			folder, cellar)
		added(run("cellar/bin/techo", "memo", "add", "formula", "x", "--priority", "1"))
		greets(t, exec.CommandContext(t.Context(), filepath.Join(cellar, "bin/techo"), "mcp"), dir)
	}
	runsImage(t, dir, one("techo-image-*-amd64.tar"))
}

// running returns what runs a program in a folder with a store, and returns its output.
func running(t *testing.T, dir string) func(program string, args ...string) string {
	return func(program string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, args...)
		c.Dir, c.Env = dir, append(os.Environ(), "TECHO_STORE="+filepath.Join(dir, "store"), "TECHO_LANG=en")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s %q: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
}

// greets starts a program as an MCP server, and lets a client call it.
func greets(t *testing.T, c *exec.Cmd, dir string) {
	t.Helper()
	c.Env = append(os.Environ(), "TECHO_STORE="+filepath.Join(dir, "store"))
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Errorf("%q: %v", c.Args, err)
		return
	}
	defer s.Close()
	list := &mcp.CallToolParams{Name: "list_memo", Arguments: map[string]any{}}
	if out, err := s.CallTool(t.Context(), list); err != nil || out.IsError {
		t.Errorf("%q: %v %v", c.Args, out, err)
	}
}

// runsImage unpacks the only layer of an image, and runs its program as the image says.
func runsImage(t *testing.T, dir, image string) {
	t.Helper()
	layout, root := filepath.Join(dir, "layout"), filepath.Join(dir, "image")
	for _, folder := range []string{layout, root} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	do := func(program string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	do("tar", "-xf", image, "-C", layout)
	var manifests []struct{ Config, Layers any }
	read := func(name string, value any) {
		text, err := os.ReadFile(filepath.Join(layout, name))
		if err == nil {
			err = json.Unmarshal(text, value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read("manifest.json", &manifests)
	var config struct {
		Config struct {
			User            string
			Entrypoint, Env []string
		}
	}
	read(manifests[0].Config.(string), &config)
	do("tar", "-xzf", filepath.Join(layout, manifests[0].Layers.([]any)[0].(string)), "-C", root)
	if os.Getuid() != 0 {
		return // the numbers of users are unknown, and chroot is not allowed
	}
	run := slices.Concat([]string{"env", "-i"}, config.Config.Env,
		[]string{testenv.Tool(t, "chroot"), "--userspec=" + config.Config.User, root}, config.Config.Entrypoint)
	out := do(run[0], append(run[1:], "memo", "add", "image", "x", "--priority", "1")...)
	if !strings.Contains(out, "Memo added") {
		t.Errorf("image: %s", out)
	}
	if _, err := os.Stat(filepath.Join(root, "data/techo")); err != nil {
		t.Errorf("the volume has no store: %v", err)
	}
	greets(t, exec.CommandContext(t.Context(), run[0], append(run[1:], "mcp")...), dir)
}

// documentedPackages compares the sizes in docs/install.md with the built packages.
func documentedPackages(t *testing.T, folder string) {
	t.Helper()
	files := map[string]string{"npm": "npm/techo-*-*-*.tgz", "PyPI": "pypi/*.whl", "Homebrew": "techo-*.tar.gz",
		"Scoop": "techo-*-windows-*.zip", "winget": "techo-*-windows-*.zip", "Debian, Ubuntu": "techo_*.deb",
		"Fedora, openSUSE": "techo-*.rpm", "container": "techo-image-*.tar", "Claude Desktop": "techo-*.mcpb",
		"Claude Code": "techo-claude-plugin-*.zip"}
	row := regexp.MustCompile(`(?m)^\| ([\w, ]+) \|.*\| (?:(\d+) to )?(\d+) ([MK])B \|$`)
	rows := row.FindAllStringSubmatch(readPage(t, "docs/install.md"), -1)
	if len(rows) != len(files) {
		t.Errorf("docs/install.md has sizes of %q", rows)
	}
	for _, row := range rows {
		least, most := math.Inf(1), 0.0
		found, err := filepath.Glob(filepath.Join(folder, files[row[1]]))
		for _, path := range found {
			st, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			size := float64(st.Size()) / map[string]float64{"M": 1e6, "K": 1e3}[row[4]]
			least, most = min(least, size), max(most, size)
		}
		from, to := number(t, cmp.Or(row[2], row[3])), number(t, row[3])
		if err != nil || len(found) == 0 || least < from-1 || most > to+1 {
			t.Errorf("%q has %.1f to %.1f in %q, %v", row[0], least, most, found, err)
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
