package screen

import (
	"strings"
	"testing"

	"techo/tools"
)

// TestList checks that a list gets its layout without a change of the result.
func TestList(t *testing.T) {
	const text = "1 event found\n  09:00–10:00  A (id: gj8sav0hf5rc)"
	r := &tools.Result{JSON: []byte(`{}`), Text: text}
	got, isTable := List(&tools.Env{}, &tools.Tool{Name: "list_events"}, r, 80, false)
	if isTable || got != strings.Replace(text, "gj8sav0hf5rc", "gj8sav", 1) || r.Text != text {
		t.Errorf("got %q, %v; the result has %q", got, isTable, r.Text)
	}
}
