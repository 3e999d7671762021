package patch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/files/filestest"
)

// patchesOf are patches of every form that touch a path, each as another part does: created, changed, removed, the
// source and the target of a renaming.
func patchesOf(path string) map[string]string {
	git := "diff --git a/x b/x\n"
	return map[string]string{
		"diff creates":    "--- /dev/null\n+++ " + path + "\n@@ -0,0 +1 @@\n+x\n",
		"diff changes":    "--- " + path + "\n+++ " + path + "\n@@ -1 +1 @@\n-old\n+new\n",
		"diff removes":    "--- " + path + "\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
		"diff moves from": git + "rename from " + path + "\nrename to x\n",
		"diff moves to":   git + "rename from near\nrename to " + path + "\n",
		"git creates":     "diff --git " + path + " " + path + "\nnew file mode 100644\n",
		"adds":            "*** Begin Patch\n*** Add File: " + path + "\n+x\n*** End Patch\n",
		"updates":         "*** Begin Patch\n*** Update File: " + path + "\n@@\n-old\n+new\n*** End Patch\n",
		"deletes":         "*** Begin Patch\n*** Delete File: " + path + "\n*** End Patch\n",
		"moves from":      "*** Begin Patch\n*** Update File: " + path + "\n*** Move to: x\n*** End Patch\n",
		"moves to":        "*** Begin Patch\n*** Update File: near\n*** Move to: " + path + "\n*** End Patch\n",
		"invalid":         "--- " + path + "\n+++ " + path + "\nno hunk\n",
	}
}

// TestPatchOutside gives patches paths outside of the working folder. A second file of the patch, which is inside,
// does not change either.
func TestPatchOutside(t *testing.T) {
	base := t.TempDir()
	in, other := filepath.Join(base, "in"), filepath.Join(base, "other")
	put(t, filepath.Join(in, "near"), "old\n")
	put(t, filepath.Join(in, "sub/f"), "old\n")
	put(t, filepath.Join(base, "out"), "old\n")
	put(t, filepath.Join(other, "f"), "old\n")
	filestest.Link(t, "../out", filepath.Join(in, "link"))
	filestest.Link(t, "..", filepath.Join(in, "up"))
	before := contents(t, base)
	for _, path := range []string{"../out", "../new", "sub/../../out", "b/../../out", "link", "up/out", "up/new",
		filepath.Join(base, "out"), filepath.Join(base, "new"), "/", "//host/share/f", `\\host\share\f`, `\f`, `C:\f`,
		"C:/f", "c:f", `"../out"`, `"\056\056/out"`} {
		for name, text := range patchesOf(path) {
			if !strings.HasPrefix(text, "***") {
				text = "--- a/near\n+++ b/near\n@@ -1 +1 @@\n-old\n+new\n" + text
			}
			_, err := applyPatch(t.Context(), freeEnv(in), In{Patch: text})
			if codeOf(err) != tools.Forbidden {
				t.Errorf("%s, %s: %v", name, path, err)
			}
			input, _ := json.Marshal(map[string]any{"patch": text, "unknown": true})
			if e := Apply.Forbidden(freeEnv(in), input); e == nil {
				t.Errorf("%s, %s in an invalid input: not forbidden", name, path)
			}
		}
	}
	if got := contents(t, base); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("changed: %q", got)
	}
	if got := filestest.Names(t, base); len(got) != 3 {
		t.Errorf("made: %q", got)
	}

	// What the roots allow is allowed.
	for _, path := range []string{"../other/f", filepath.Join(other, "f")} {
		put(t, filepath.Join(other, "f"), "old\n")
		_, err := applyPatch(t.Context(), filestest.Confined(t, in, in, other),
			In{Patch: patchesOf(path)["diff changes"]})
		check(t, err)
		if got := contents(t, other)["f"]; got != "new\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
	// So is what stays in the folder.
	for _, path := range []string{"sub/../near", "./near", "up/in/near"} {
		put(t, filepath.Join(in, "near"), "old\n")
		_, err := patch(in, patchesOf(path)["updates"])
		check(t, err)
	}
}

// TestPatchContentIsNoPath has lines that look like headers among the lines of a file.
func TestPatchContentIsNoPath(t *testing.T) {
	dir := putFiles(t, map[string]string{"a.sql": "select 1;\n-- /etc/passwd\n++ /etc/hosts\nselect 2;\n"})
	_, err := patch(dir, "--- a/a.sql\n+++ b/a.sql\n@@ -1,4 +1,4 @@\n select 1;\n--- /etc/passwd\n-++ /etc/hosts\n"+
		"+-- ../up\n+++ ../down\n select 2;\n")
	check(t, err)
	if got := contents(t, dir)["a.sql"]; got != "select 1;\n-- ../up\n++ ../down\nselect 2;\n" {
		t.Errorf("%q", got)
	}
}

// TestPatchGoneFolder is called from a working folder that was removed.
func TestPatchGoneFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	check(t, os.Mkdir(dir, 0o755))
	env := freeEnv(dir)
	check(t, os.Remove(dir))
	_, err := applyPatch(t.Context(), env, In{Patch: patchesOf("f")["adds"]})
	if codeOf(err) != tools.NotFound {
		t.Error(err)
	}
}
