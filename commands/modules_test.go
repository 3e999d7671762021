package commands

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestModulesPython runs the adapters of the Python module in the real frameworks, with a
// scripted model that gives wrong arguments, is refused, asks the person, and calls several
// tools at once.
func TestModulesPython(t *testing.T) {
	testenv.Download(t, "installs five frameworks")
	t.Parallel()
	bin := testenv.Program(t)
	node := testenv.Tool(t, "node")
	python := testenv.Python(t, "-r", "../testdata/modules/requirements.txt")
	for _, framework := range []string{"langchain", "strands", "openai_agents", "anthropic", "pydantic_ai"} {
		runModule(t, []string{"PYTHONPATH=../../packaging/python", "PYTHONDONTWRITEBYTECODE=1"}, node,
			"model.mjs", python, "frameworks.py", bin, framework)
	}
	pythonExamples(t, node, python)
}

// pythonExamples runs the Python examples with the scripted model, in the same frameworks.
func pythonExamples(t *testing.T, node, python string) {
	t.Helper()
	examples, err := filepath.Abs("../examples")
	if err != nil {
		t.Fatal(err)
	}
	run := func(env []string, program string, args ...string) (string, string, int) {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		c := exec.CommandContext(ctx, program, args...)
		c.Env = append(os.Environ(), env...)
		return ran(t, c)
	}
	env := []string{"PYTHONPATH=" + filepath.Join(examples, "..", "packaging", "python"), "PYTHONDONTWRITEBYTECODE=1"}
	for _, name := range []string{"anthropic_messages.py", "openai_agents.py", "langchain_agent.py",
		"strands_agent.py"} {
		keepsMemo(t, run, env, node, filepath.Join(examples, "scripted.mjs"), python, filepath.Join(examples, name))
	}
}

// TestModulesKilled adds to-dos through the Python module, in its three ways, while the processes that answer are
// killed, and repeats what failed: each to-do is there once. Longer, with TECHO_TEST_LONG, these are 10,000.
func TestModulesKilled(t *testing.T) {
	t.Parallel()
	python := testenv.Tool(t, "python3")
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		testenv.Missing(t, "/proc, in which it finds processes")
	}
	calls := "300"
	if testenv.Long() {
		calls = "10000"
	}
	runModule(t, []string{"PYTHONPATH=../../packaging/python", "PYTHONDONTWRITEBYTECODE=1"},
		python, "kills.py", testenv.Program(t), calls, "1")
}

// TestModulesJavaScript runs those of the JavaScript module.
func TestModulesJavaScript(t *testing.T) {
	testenv.Download(t, "installs four frameworks")
	t.Parallel()
	bin := testenv.Program(t)
	dir, run := installed(t, "../testdata/modules")
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "techo"), os.DirFS("../packaging/npm")); err != nil {
		t.Fatal(err)
	}
	for _, framework := range []string{"ai", "langchain", "openai-agents", "anthropic"} {
		out, errs, code := run([]string{"TECHO_STORE="}, "node", "model.mjs", "node", "frameworks.mjs", bin, framework)
		if code != 0 {
			t.Errorf("%s: exit %d\n%s\n%s", framework, code, out, errs)
		}
		t.Log(strings.TrimSpace(out))
	}
}

func runModule(t *testing.T, env []string, program string, args ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), testenv.Pick(2*time.Minute, 20*time.Minute))
	defer stop()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Env = "../testdata/modules", append(append(os.Environ(), "TECHO_STORE="), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%q: %v\n%s", args, err, out)
	}
	t.Log(strings.TrimSpace(string(out)))
}

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
