package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// client is an MCP client that starts servers.
type client struct {
	name, home string   // the variable for its folder
	add, list  []string // its commands; add adds another server, nil without such a command
	wants      string   // the text of list for a running server
	trusted    string   // the file of trusted projects
	pending    string   // the text of list for a project's server that is not approved yet
}

// TestInstalled has the clients read back what setup adds, for the person and for a
// project, in the default folders and in folders that their variables
// name, beside another server. Some clients start techo to check it.
func TestInstalled(t *testing.T) {
	testenv.Download(t, "installs four clients (1.4 GB)")
	t.Parallel()
	bin := testenv.Program(t)
	dir, run := installed(t, "../testdata/agents")
	beside := func(name string, test func(*testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a client mostly waits
			test(t)
		})
	}
	for _, c := range []client{
		{name: "claude", home: "CLAUDE_CONFIG_DIR", wants: "✔ Connected", pending: "Pending approval",
			add: []string{"mcp", "add", "-s", "user", "other", "--", bin, "mcp"}, list: []string{"mcp", "list"}},
		{name: "codex", home: "CODEX_HOME", wants: `"enabled": true`, trusted: "config.toml",
			add: []string{"mcp", "add", "other", "--", bin, "mcp"}, list: []string{"mcp", "list", "--json"}},
		{name: "gemini", home: "GEMINI_CLI_HOME", wants: "Connected",
			add: []string{"mcp", "add", "-s", "user", "other", bin, "mcp"}, list: []string{"mcp", "list"}},
		{name: "opencode", home: "XDG_CONFIG_HOME", wants: "connected", list: []string{"mcp", "list"}},
	} {
		for _, place := range []string{"own", "elsewhere", "project"} {
			beside(c.name+"/"+place, func(t *testing.T) { c.readBack(t, bin, run, place) })
		}
	}
	for name, title := range map[string]string{"claude": "Claude Code " + version(t, dir, "@anthropic-ai/claude-code"),
		"codex": "Codex " + version(t, dir, "@openai/codex"), "opencode": "opencode " + version(t, dir, "opencode-ai"),
		"gemini": "Gemini CLI " + version(t, dir, "@google/gemini-cli")} {
		beside(name+"/prompts", func(t *testing.T) { prompted(t, bin, dir, name, title) })
	}
	beside("claude/plugin", func(t *testing.T) { plugged(t, bin, dir) })
}

func version(t *testing.T, dir, name string) string {
	t.Helper()
	var found struct{ Version string }
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found.Version
}

// quiet is the environment in which clients send no telemetry, and start once.
func quiet() []string {
	return []string{"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_NO_RELAUNCH=true", "OPENCODE_DISABLE_MODELS_FETCH=1", "npm_config_offline=true"}
}

// readBack installs techo and returns the client's list of servers.
func (c client) readBack(t *testing.T, bin string, run func([]string, string, ...string) (string, string, int),
	place string) {
	w := newWorld(t)
	w.env["HOME"] = filepath.Join(w.dir, "home 家")
	own := filepath.Join(w.dir, "elsewhere")
	if place != "own" {
		w.env[c.home] = own
	}
	for _, dir := range []string{w.env["HOME"], own} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := quiet()
	for name, value := range w.env {
		env = append(env, name+"="+value)
	}
	ask := func(words []string) (said string) { // one client prints on stderr
		stdout, stderr, code := run(env, "sh",
			append([]string{"-c", `cd "$0" && PATH="$PATH:` + filepath.Dir(bin) + `" && exec "$@"`, w.dir, c.name},
				words...)...)
		if code != 0 {
			t.Errorf("%s %q: exit %d\n%s\n%s", c.name, words, code, stdout, stderr)
		}
		return stdout + stderr
	}
	parts := []string{"techo", "田中 a", "other"}
	if c.add == nil {
		parts = parts[:2]
	} else {
		ask(c.add)
	}
	args, wants := []string{"setup", c.name, "--user", "田中 a"}, c.wants
	if place == "project" {
		args = append(args, "--project")
		if c.trusted != "" {
			appendTo(t, filepath.Join(own, c.trusted),
				fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", w.dir))
		}
		if c.pending != "" {
			wants = c.pending
		}
	}
	w.exec(bin, "", args...).ok()
	out := ask(c.list)
	for _, part := range append(parts, wants) {
		if !strings.Contains(out, part) {
			t.Errorf("there is no %s in\n%s", part, out)
		}
	}
	if strings.Contains(out, "Failed") || strings.Contains(out, "Disconnected") {
		t.Errorf("a server is not well:\n%s", out)
	}
	w.exec(bin, "", append(args, "--remove")...).ok()
	if out := ask(c.list); strings.Contains(out, "田中 a") {
		t.Errorf("techo is still in\n%s", out)
	}
}
