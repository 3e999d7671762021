package commands

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// files returns the contents of the files in a folder that are not hidden.
func (w *world) files(dir string) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(w.dir, dir))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(w.dir, dir, e.Name()))
		if err != nil {
			w.t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// TestImportExportedMemos exports hostile memos, imports them into an empty store
// and exports them again: the files are the same.
func TestImportExportedMemos(t *testing.T) {
	r := testenv.Random(t)
	w := newWorld(t)
	names := []string{"[", "]", "<b>", "\\", "  ", "犬", "\"", "\u2028", "# ", "](", "か\u3099"}
	tags := []string{"food", "a, b", "a,b", `\,`, "x  y", " 犬 ", "# [x]"}
	const count = 60
	for i := range count {
		w.env["TECHO_NOW"] = fmt.Sprintf("2026-01-02T12:%02d:00.%03dZ", r.IntN(60), r.IntN(1000))
		name := fmt.Sprint(names[r.IntN(len(names))], i, names[r.IntN(len(names))], "x")
		args := []string{"memo", "add", "--name", name, "--priority", fmt.Sprint(1 + r.IntN(5)),
			"--content", hostileText(r) + "\n\n## Detail\n\n" + hostileText(r)}
		for range r.IntN(3) {
			args = append(args, "--tag", tags[r.IntN(len(tags))])
		}
		if r.IntN(2) == 0 {
			args = append(args, "--detail", "\n"+hostileText(r)+"\n\n"+hostileText(r))
		}
		w.run(args...).ok()
		if r.IntN(4) == 0 {
			w.run("memo", "edit", "--memo-name", name, "--priority", "3").ok()
		}
	}
	w.run("export", "memos", "--to-dir", "first").ok()
	got := w.run("import", "memos", "first").ok()
	if got["existing"] != float64(count) || got["skipped"] != float64(0) {
		t.Errorf("the same store: %v", got)
	}
	w.env["TECHO_STORE"] = filepath.Join(w.dir, "other")
	if got = w.run("import", "memos", "first", "--strict").ok(); got["imported"] != float64(count) {
		t.Fatalf("an empty store: %v", got)
	}
	w.run("export", "memos", "--to-dir", "second").ok()
	first, second := w.files("first"), w.files("second")
	if len(first) != count+1 || !maps.Equal(first, second) {
		t.Errorf("%d files became %d:\n%q\n%q", len(first), len(second), first, second)
	}
	w.run("store", "verify").ok()
}

// TestImportMemosHistory undoes an import as one change.
func TestImportMemosHistory(t *testing.T) {
	w := newWorld(t)
	w.feed(`[{"name":"a","content":"A","priority":1},{"name":"b","content":"B","priority":2,"tags":["t"]}]`,
		"import", "memos", "-").ok()
	if got := w.run("memo", "list").ok()["total"]; got != float64(2) {
		t.Fatalf("%v memos", got)
	}
	w.run("undo").ok()
	if got := w.run("memo", "list").ok()["total"]; got != float64(0) {
		t.Errorf("%v memos after undo", got)
	}
	w.run("store", "verify").ok()
}
