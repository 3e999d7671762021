package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
