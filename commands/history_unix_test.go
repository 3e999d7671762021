//go:build unix

package commands

import (
	"strings"
	"testing"
)

// TestHistoryLines checks that the path of a file cannot add a line to the list. On Windows a path has no line
// break.
func TestHistoryLines(t *testing.T) {
	w := newWorld(t)
	w.run("fs", "write", "a\n- h9 2026-01-01", "x").ok()
	for _, args := range [][]string{{"history"}, {"undo"}} {
		text := w.run(append(args, "-o", "text")...).text()
		if strings.Count(strings.TrimSpace(text), "\n") != 1 {
			t.Errorf("%q: %q", args, text)
		}
	}
}
