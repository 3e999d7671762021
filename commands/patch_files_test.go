package commands

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/mcptest"
)

// patchSteps are patches of each form, in order, with the part of the answer that shows them.
var patchSteps = []struct{ name, patch, answer string }{
	{"diff", "--- /dev/null\n+++ b/new/買い物.txt\n@@ -0,0 +1,2 @@\n+卵\n+牛乳\n", `"created_folders":["new"]`},
	{"sections", "*** Begin Patch\n*** Update File: new/買い物.txt\n*** Move to: list.txt\n@@\n-卵\n+米\n" +
		"*** Add File: b/c/n\n+x\n*** End Patch\n", `"created_folders":["b","b/c"]`},
	{"blocks", "list.txt\n<<<<<<< SEARCH\n牛乳\n=======\n豆乳\n>>>>>>> REPLACE\n", `"action":"edited"`},
	{"mode", "diff --git a/list.txt b/list.txt\nold mode 100644\nnew mode 100755\n", `"mode":"100755"`},
	{"removal", "--- a/b/c/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", `"action":"removed"`},
	{"escape by diff", "--- /dev/null\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n", `"forbidden"`},
	{"escape by sections", "*** Begin Patch\n*** Add File: /evil\n+x\n*** End Patch", `"forbidden"`},
	{"escape by blocks", "../evil\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n", `"forbidden"`},
	{"escape by renaming", "diff --git a/list.txt b/x\nrename from list.txt\nrename to ../evil\n", `"forbidden"`},
	{"nothing", "hello", `"invalid_input"`},
}

// TestPatchesEverywhere applies the same patches on the command line, with roots and without, over
// MCP and over HTTP. All leave the same files.
func TestPatchesEverywhere(t *testing.T) {
	var want map[string]string
	for _, face := range []string{"line", "line with a root", "call", "mcp", "http", "mcp over http"} {
		w := newWorld(t)
		base := w.dir
		w.dir = filepath.Join(base, "work")
		if err := os.Mkdir(w.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		call := patchBy(t, w, face)
		for _, step := range patchSteps {
			input, _ := json.Marshal(map[string]string{"patch": step.patch})
			if answer := call(string(input), step.patch); !strings.Contains(answer, step.answer) {
				t.Errorf("%s, %s: %s", face, step.name, answer)
			}
		}
		got := map[string]string{}
		for _, name := range []string{"list.txt", "b/c/n", "new/買い物.txt", "../evil"} {
			if b, err := os.ReadFile(filepath.Join(w.dir, name)); err == nil {
				got[name] = string(b)
			}
		}
		if want == nil {
			want = got
		}
		if len(got) != 1 || got["list.txt"] != "米\n豆乳\n" || !maps.Equal(got, want) {
			t.Errorf("%s leaves %q", face, got)
		}
	}
}

// patchBy returns how an interface applies a patch.
func patchBy(t *testing.T, w *world, face string) func(input, patch string) string {
	t.Helper()
	switch face {
	case "line":
		return func(_, patch string) string { return w.feed(patch, "fs", "patch", "-").out }
	case "line with a root":
		return func(_, patch string) string { return w.feed(patch, "fs", "patch", "-", "--root", ".").out }
	case "call":
		return func(input, _ string) string { return w.feed(input, "call", "apply_patch").out }
	case "http":
		s := w.serve(t, "serve", "--root", w.dir)
		return func(input, _ string) string {
			_, answer := s.Ask(http.MethodPost, "/tools/apply_patch", input)
			return answer
		}
	}
	c := w.client(t, nil)
	if face == "mcp over http" {
		c = connectHTTP(t, w.serve(t, "serve", "--root", w.dir).Base+"/mcp", "", "")
	}
	return func(input, _ string) string {
		text, _ := mcptest.Call(t, c, "apply_patch", input)
		return text
	}
}
