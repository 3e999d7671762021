package commands

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// agent is a client with a world and a scripted model of its own.
type agent struct {
	*world
	name, bin string
	folder    string // of the clients
	model     *scripted
}

// newAgent prepares the home folder of a client.
func newAgent(t *testing.T, bin, folder, name string) *agent {
	t.Helper()
	a := &agent{newWorld(t), name, bin, filepath.Join(folder, "node_modules", ".bin"), newScripted(t)}
	a.env["HOME"] = filepath.Join(a.dir, "home 家")
	for path, text := range map[string]string{
		".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`,
		".config/opencode/opencode.json": `{"model": "fake/m", "small_model": "fake/m", "provider": {"fake": {` +
			`"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "` + a.model.url +
			`", "apiKey": "x"}, "models": {"m": {}}}}}`,
		".codex/config.toml": "model = \"m\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\n" +
			"base_url = \"" + a.model.url + "\"\nwire_api = \"responses\"\n",
	} {
		path = filepath.Join(a.env["HOME"], filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		appendTo(t, path, text)
	}
	for name, value := range map[string]string{"ANTHROPIC_BASE_URL": a.model.url, "ANTHROPIC_API_KEY": "x",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "GOOGLE_GEMINI_BASE_URL": a.model.url, "GEMINI_API_KEY": "x",
		"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true", "npm_config_offline": "true",
		"OPENCODE_DISABLE_MODELS_FETCH": "1"} {
		a.env[name] = value
	}
	return a
}

// command is the client with arguments. techo is on its PATH.
func (a *agent) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(a.folder, a.name), args...)
	c.Dir, c.Env = a.dir, append(os.Environ(), "PATH="+strings.Join([]string{filepath.Dir(a.bin), a.folder,
		os.Getenv("PATH")}, string(os.PathListSeparator)))
	for name, value := range a.env {
		c.Env = append(c.Env, name+"="+value)
	}
	return c
}

// speaks are the arguments for sessions over stdin and stdout.
func (a *agent) speaks() []string {
	return map[string][]string{
		"claude":   {"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"},
		"codex":    {"app-server"},
		"gemini":   {"--acp"},
		"opencode": {"acp"},
	}[a.name]
}

func (a *agent) compact(say func(string)) {
	if a.name != "gemini" {
		say("/compact")
		return
	}
	a.model.says(2_000_000) // more than it can read: it compacts before the next message
	say("Enough for today")
	a.model.says(1)
	say("Good morning again!")
}

// starts returns the texts at the start of a session, as the model reads them.
func starts(text string) []string {
	return regexp.MustCompile(`(?s)techo keeps notes for you.*?add_memory\.`).FindAllString(text, -1)
}

func notices(text string) []string {
	return regexp.MustCompile(`(?s)______ Notice ______.*?____________________`).FindAllString(text, -1)
}

// fill adds the facts, and what the start of a session shows. It returns the ids of the
// facts.
func (a *agent) fill() (ids []string) {
	a.exec(a.bin, "", "memo", "add", "mark", "Seven sisters", "--priority", "5").ok()
	for _, f := range facts {
		added := a.exec(a.bin, "", "memory", "add", f[0]).ok()["memory"]
		ids = append(ids, added.(map[string]any)["id"].(string))
	}
	for i := range 5 {
		a.exec(a.bin, "", "memory", "add", fmt.Sprintf("Filler number %d about nothing in particular.", i)).ok()
	}
	return ids
}

// prompted plays a session of 40 messages in a client, and then compacts it. The model
// reads each memory from the message on that needs it, and nothing twice. The page says
// how much that is.
func prompted(t *testing.T, bin, folder, name, title string) {
	a := newAgent(t, bin, folder, name)
	ids, messages := a.fill(), 40
	if name == "opencode" && !testenv.Long() { // a message takes it half a second of processor time
		messages = 8
	}
	a.exec(bin, "", "setup", name).ok()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	begun := ""
	if name == "gemini" { // its other interface has no hook for the start of a session
		if out, err := a.command(ctx, "-p", chatter[0]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		begun = a.model.read()
	}
	k := newTalk(ctx, t, a.command(ctx, a.speaks()...))
	say := k.begin(name, a.dir)
	kept := false // the client's compaction may keep messages with other memories
	counts := func(when, text string, wanted int) {
		t.Helper()
		for j, id := range ids {
			if got := strings.Count(text, id); got > 1 || got == 0 && j < wanted || got == 1 && j >= wanted && !kept {
				t.Errorf("%s: the memory %q is there %d times", when, facts[j][0], got)
			}
		}
	}
	var text string
	for n := range messages {
		said := strings.TrimPrefix(chatter[n/2%len(facts)], "/")
		if n%2 == 0 {
			said = facts[n/2%len(facts)][1]
		}
		say(said)
		if text = a.model.read(); !strings.Contains(text, said) {
			t.Fatalf("no %q in\n%s", said, text)
		}
		counts(fmt.Sprintf("%d. %q", n, said), text, n/2+1)
	}
	start, added := starts(begun+text), notices(text)
	row := fmt.Sprintf("| %s | %d | %d | %d |", title, len(strings.Join(start, "")), len(added),
		len(strings.Join(added, "")))
	if len(start) != 1 || !strings.Contains(start[0], "Seven sisters") {
		t.Errorf("the starts are %q", start)
	}
	checkRow(t, row, messages)
	a.compact(say)
	a.model.read()
	kept = name == "gemini" // the last third of a session
	for i := range 2 {
		say(facts[i][1])
		counts("after the compaction", a.model.read(), i+1)
	}
}

// checkRow compares the page with a whole session.
func checkRow(t *testing.T, row string, messages int) {
	t.Helper()
	page, err := os.ReadFile("../docs/setup.md")
	if err != nil || messages == 40 && !strings.Contains(string(page), row) {
		t.Errorf("docs/setup.md lacks %s", row)
	}
}
