package main

import (
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
		greets(t, filepath.Join(dir, program), dir)
	}
	runsImage(t, dir, one("techo-image-*-amd64.tar"))
}

// greets starts a program as an MCP server, and lets a client call it.
func greets(t *testing.T, program, dir string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, "mcp")
	c.Env = append(os.Environ(), "TECHO_STORE="+filepath.Join(dir, "store"))
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Errorf("%s: %v", program, err)
		return
	}
	defer s.Close()
	list := &mcp.CallToolParams{Name: "list_memo", Arguments: map[string]any{}}
	if out, err := s.CallTool(t.Context(), list); err != nil || out.IsError {
		t.Errorf("%s: %v %v", program, out, err)
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
		[]string{testenv.Tool(t, "chroot"), "--userspec=" + config.Config.User, root}, config.Config.Entrypoint,
		[]string{"memo", "add", "image", "x", "--priority", "1"})
	if out := do(run[0], run[1:]...); !strings.Contains(out, "Memo added") {
		t.Errorf("image: %s", out)
	}
	if _, err := os.Stat(filepath.Join(root, "data/techo")); err != nil {
		t.Errorf("the volume has no store: %v", err)
	}
}

// documentedPackages compares the sizes in docs/install.md with the built packages.
func documentedPackages(t *testing.T, folder string) {
	t.Helper()
	text, err := os.ReadFile("docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	for row, pattern := range map[string]string{"npm": "npm/techo-linux-x64-*.tgz", "PyPI": "pypi/*manylinux*.whl",
		"Homebrew": "techo-*-linux-amd64.tar.gz", "Scoop": "techo-*-windows-amd64.zip",
		"winget": "techo-*-windows-amd64.zip", "Debian, Ubuntu": "techo_*_amd64.deb",
		"Fedora, openSUSE": "techo-*.x86_64.rpm", "container": "techo-image-*-amd64.tar",
		"Claude Desktop": "techo-*-linux-amd64.mcpb"} {
		said := regexp.MustCompile(`(?m)^\| ` + row + ` \|.*\| (\d+) MB \|$`).FindSubmatch(text)
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(found) != 1 || said == nil {
			t.Errorf("%s: %q in %q %v", row, found, said, err)
			continue
		}
		st, err := os.Stat(found[0])
		if err != nil {
			t.Fatal(err)
		}
		megabytes, err := strconv.ParseFloat(string(said[1]), 64)
		if size := float64(st.Size()) / 1e6; err != nil || math.Abs(size-megabytes) > 1 {
			t.Errorf("%s: %.1f MB, docs/install.md says %.0f", row, size, megabytes)
		}
	}
}
