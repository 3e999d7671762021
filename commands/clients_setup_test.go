package commands

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	_, run := installed(t, "../testdata/agents")
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
			t.Run(c.name+"/"+place, func(t *testing.T) { c.readBack(t, bin, run, place) })
		}
	}
	for name, args := range map[string][]string{
		"claude":   {"-p", swans},
		"codex":    {"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", swans},
		"gemini":   {"-p", swans},
		"opencode": {"run", swans},
	} {
		t.Run(name+"/hooks", func(t *testing.T) { hooked(t, bin, run, name, args) })
	}
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
	// Block telemetry.
	env := []string{"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "GEMINI_CLI_TRUST_WORKSPACE=true"}
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

// swans is a message that needs a memory.
const swans = "Who feeds the seven swans?"

// hooked has a client start a session with a message. Its requests contain a memo and
// the memory that the message needs.
func hooked(t *testing.T, bin string, run func([]string, string, ...string) (string, string, int), name string,
	args []string) {
	w := newWorld(t)
	w.env["HOME"] = filepath.Join(w.dir, "home 家")
	requests := &testenv.Buffer{}
	api := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(requests, r.Body)
		if strings.HasSuffix(r.URL.Path, "/chat/completions") { // one client tries again after an error
			answer.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(answer, `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":`+
				`[{"index":0,"delta":{"role":"assistant","content":"OK"},"finish_reason":"stop"}]}`+
				"\n\ndata: [DONE]\n\n")
			return
		}
		http.Error(answer, `{"error":{"type":"invalid_request_error","message":"no"}}`, http.StatusBadRequest)
	}))
	t.Cleanup(api.Close)
	w.exec(bin, "", "memo", "add", "mark", "Seven sisters", "--priority", "5").ok()
	id := w.exec(bin, "", "memory", "add", "Ueda feeds the seven swans at noon.").ok()["memory"].(map[string]any)["id"]
	for i := range 5 { // the start of a session shows the latest
		w.exec(bin, "", "memory", "add", fmt.Sprint("Filler ", i)).ok()
	}
	for _, folder := range []string{".codex", ".gemini", filepath.Join(".config", "opencode")} {
		if err := os.MkdirAll(filepath.Join(w.env["HOME"], folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, filepath.Join(w.env["HOME"], ".gemini", "settings.json"),
		`{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	appendTo(t, filepath.Join(w.env["HOME"], ".config", "opencode", "opencode.json"), `{"model": "fake/m",
		"small_model": "fake/m", "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "options":
		{"baseURL": "`+api.URL+`", "apiKey": "x"}, "models": {"m": {}}}}}`)
	appendTo(t, filepath.Join(w.env["HOME"], ".codex", "config.toml"), "model = \"m\"\n"+
		"model_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\n"+
		"base_url = \""+api.URL+"\"\nwire_api = \"responses\"\n")
	w.exec(bin, "", "setup", name).ok()
	env := []string{"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=x",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "GOOGLE_GEMINI_BASE_URL=" + api.URL, "GEMINI_API_KEY=x",
		"GEMINI_CLI_TRUST_WORKSPACE=true"}
	for name, value := range w.env {
		env = append(env, name+"="+value)
	}
	stdout, stderr, _ := run(env, "sh",
		append([]string{"-c", `cd "$0" && exec "$@" < /dev/null`, w.dir, name}, args...)...)
	for _, want := range []string{"Seven sisters", "[" + id.(string) + "] Ueda feeds"} {
		if !strings.Contains(requests.String(), want) {
			t.Errorf("no %q in the requests\n%.2000s\n%s\n%s", want, requests.String(), stdout, stderr)
		}
	}
}
