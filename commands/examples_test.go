package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestFrameworks runs the examples with a scripted model, which checks the offered tools,
// calls one with wrong arguments, then with right ones, and returns the result.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	testenv.All(t, "installs clients from the network")
	dir, run := installed(t, "../examples")
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "techo"), os.DirFS("../packaging/npm")); err != nil {
		t.Fatal(err)
	}
	python := testenv.Tool(t, "python3")
	for _, line := range [][]string{
		{python, "plain.py"}, {"node", "anthropic.mjs"}, {"node", "openai-agents.mjs"}, {"node", "langchain.mjs"},
		{"node", "strands.mjs"},
	} {
		keepsMemo(t, run, nil, line[0], filepath.Join(dir, line[1]))
	}
}

// keepsMemo runs an example and expects that it keeps the memo of the scripted model.
func keepsMemo(t *testing.T, run func([]string, string, ...string) (string, string, int), env []string,
	program string, args ...string) {
	t.Helper()
	w := newWorld(t)
	env = append([]string{
		"PATH=" + filepath.Dir(testenv.Program(t)) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"TECHO_STORE=" + w.env["TECHO_STORE"], "TECHO_LANG=en", "ANTHROPIC_API_KEY=", "OPENAI_API_KEY=",
	}, env...)
	out, errs, code := run(env, program, args...)
	if code != 0 || !strings.Contains(out, "ramen") {
		t.Fatalf("%s %q: exit %d\n%s\n%s", program, args, code, out, errs)
	}
	if memo := w.run("memo", "get", "ramen").ok()["memo"].(map[string]any); memo["priority"] != 4.0 {
		t.Errorf("%s %q: it kept %v", program, args, memo)
	}
}

// noIndex is pip's error without a network, or python's without pip.
var noIndex = regexp.MustCompile(`from versions: none|ConnectionError|Timeout|No module named pip`)
