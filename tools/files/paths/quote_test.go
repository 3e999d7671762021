package paths

import (
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestQuotedPaths converts random paths and back.
func TestQuotedPaths(t *testing.T) {
	r := testenv.Random(t)
	parts := []string{"a", "日", "\xff", "\xe9", "\n", "\t", "\"", "\\", " ", "/", "\x1b", "\x7f", "'", "1"}
	for range 2000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		path := b.String()
		if shown := Show(path); Plain(shown) != path {
			t.Errorf("%q is shown as %q, which is %q", path, shown, Plain(shown))
		}
		line := ShowLine(Show(path))
		if Plain(line) != path && line != path || strings.ContainsAny(line, "\n\x1b") {
			t.Errorf("%q is shown as the line %q, which is %q", path, line, Plain(line))
		}
	}
	for _, path := range []string{`"x"`, `"`, `""`, `"x`, `"a\qb"`} {
		if Plain(path) != path {
			t.Errorf("%q is taken for %q", path, Plain(path))
		}
	}
}
