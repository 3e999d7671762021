package commands

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAskWatchApart checks that no question is asked in a terminal that the asker
// opened. Other systems do not show the process tree.
func TestAskWatchApart(t *testing.T) {
	binary := build(t)
	store := filepath.Join(t.TempDir(), "store")
	if out, err := shell(filepath.Dir(store), binary, "techo ask Q --wait 0 --store "+store+
		"; test $? = 6"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d := sit(t, binary, store, nil, binary, "ask", "watch", "--once")
	document := d.leaves(0)
	wantFields(t, document, map[string]any{"count": 0.0})
	if !strings.Contains(d.seen(), "q1 にはここから回答できません") ||
		len(document["refused"].([]any)) != 1 {
		t.Errorf("%v\n%s", document, d.seen())
	}
}
