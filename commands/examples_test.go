package commands

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestFrameworks runs the examples with a scripted model, which checks the offered tools,
// calls one with wrong arguments, then with right ones, and returns the result.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	testenv.All(t, "installs clients from the network")
	dir, run := installed(t, "../examples")
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

// TestPython runs the Python examples with the scripted model: with the libraries that
// they need, or else with stand-ins. Pyright then compares the examples with the types of
// the stand-ins.
func TestPython(t *testing.T) {
	t.Parallel()
	testenv.All(t, "installs libraries from the network")
	python := testenv.Tool(t, "python3")
	dir, run := installed(t, "../testdata/python")
	examples := filepath.Join(dir, "examples")
	if err := os.CopyFS(examples, os.DirFS("../examples")); err != nil {
		t.Fatal(err)
	}
	libraries, found := pythonLibraries(t, python)
	if !found {
		libraries = dir
		if out, errs, code := run(nil, "pyright"); code != 0 {
			t.Errorf("pyright: exit %d\n%s\n%s", code, out, errs)
		}
	}
	t.Logf("with libraries that pip installed: %v", found)
	env := []string{"PYTHONPATH=" + libraries}
	for _, name := range []string{"anthropic_messages.py", "openai_agents.py", "langchain_agent.py",
		"strands_agent.py"} {
		keepsMemo(t, run, env, "node", filepath.Join(examples, "scripted.mjs"), python, filepath.Join(examples, name))
	}
}

// noIndex is pip's error without a network, or python's without pip.
var noIndex = regexp.MustCompile(`from versions: none|ConnectionError|Timeout|No module named pip`)

// pythonLibraries installs the libraries of the examples. found is false if there is no
// package index.
func pythonLibraries(t *testing.T, python string) (dir string, found bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	dir = t.TempDir()
	out, err := exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--retries", "0", "--timeout", "15",
		"--disable-pip-version-check", "--target", dir, "-r", "../examples/requirements.txt").CombinedOutput()
	if err != nil && !noIndex.Match(out) {
		t.Fatalf("pip: %v\n%s", err, out)
	}
	return dir, err == nil
}
