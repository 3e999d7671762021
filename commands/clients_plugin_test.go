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

// plugged installs the plugin of a release in Claude Code, which checks it, and plays a
// session with it: the server answers a call, and the hooks add what they find.
func plugged(t *testing.T, bin, folder string) {
	a := newAgent(t, bin, folder, "claude")
	ids := a.fill()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	do := func(c *exec.Cmd, wants ...string) {
		t.Helper()
		out, err := c.CombinedOutput()
		for _, want := range wants {
			if err != nil || !strings.Contains(string(out), want) {
				t.Fatalf("%q: no %q, %v\n%s", c.Args, want, err, out)
			}
		}
	}
	skill, market := filepath.Join(a.dir, "SKILL.md"), filepath.Join(a.dir, "market")
	appendTo(t, skill, a.exec(bin, "", "skill", "--for", "claude").out)
	build := exec.CommandContext(ctx, "go", "run", "../packaging/build", "-version", "0.1.0", "-source", "..",
		"-programs", a.dir, "-notices", "../LICENSE", "-skill", skill, "-out", a.dir)
	do(build, "")
	do(exec.CommandContext(ctx, testenv.Tool(t, "unzip"), "-q", filepath.Join(a.dir, "techo-claude-plugin-0.1.0.zip"),
		"-d", market), "")
	if filepath.Base(bin) != "techo" { // the plugin runs the program of this name
		if err := os.Symlink(bin, filepath.Join(a.dir, "techo")); err != nil {
			t.Fatal(err)
		}
		a.bin = filepath.Join(a.dir, "techo")
	}
	do(a.command(ctx, "plugin", "validate", market, "--profile", "directory"), "Validation passed")
	do(a.command(ctx, "plugin", "marketplace", "add", market), "Successfully added")
	do(a.command(ctx, "plugin", "install", "techo@techo"), "Successfully installed")
	do(a.command(ctx, "mcp", "list"), "plugin:techo:techo: techo mcp - ✔ Connected")

	a.env["ENABLE_TOOL_SEARCH"] = "false"
	const tool = "mcp__plugin_techo_techo__list_memo"
	k := newTalk(ctx, t, a.command(ctx, append(a.speaks(), "--allowedTools", tool)...))
	say := k.begin(a.name, a.dir)
	say(facts[0][1])
	text := a.model.read()
	if len(starts(text)) != 1 || strings.Count(text, ids[0]) != 1 {
		t.Errorf("the hooks added\n%q\n%q", starts(text), notices(text))
	}
	if !strings.Contains(text, "techo:techo") {
		t.Errorf("no skill in\n%s", text)
	}
	a.model.calls = []string{`{"type":"tool_use","id":"toolu_1","name":"` + tool + `","input":{}}`}
	say("Which memos are there?")
	if text := a.model.read(); !strings.Contains(text, `"content":"Seven sisters"`) {
		t.Errorf("the tool did not answer:\n%s", text)
	}
}
