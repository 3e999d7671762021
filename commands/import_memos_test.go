package commands

import (
	"testing"
)

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
