package patch

import (
	"strings"
	"testing"

	"techo/tools"
)

// TestPatchRefusalHints checks what the refusal of a patch says about places that match loosely,
// and that it speaks of the patch.
func TestPatchRefusalHints(t *testing.T) {
	dir := putFiles(t, map[string]string{"a": "x — y\nmiddle\nx – y\nif z:\n\treturn “1”\nlast\n",
		"open": "x — y"})
	for _, test := range []struct{ old, message, hint string }{
		{"x - y", "a: The lines of a hunk occur nowhere exactly, but apart from dashes more than once: in lines 1, 3",
			"add lines of context"},
		{"return \"1\"", "a: Could not find the lines of a hunk", "--normalize"},
		{"if z:\n    return “1”", "a: Could not find the lines of a hunk", "--ignore-whitespace"},
		{"midd", "a: Could not find the lines of a hunk", "add lines of context"},
		{"nothing like it", "a: Could not find the lines of a hunk", "add lines of context"},
	} {
		_, err := patch(dir, "a\n<<<<<<< SEARCH\n"+test.old+"\n=======\nnew\n>>>>>>> REPLACE\n")
		e := tools.AsError(testEnv(dir), err)
		if err == nil || e.Message != test.message || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%q: %s (%s)", test.old, e.Message, e.Hint)
		}
		for _, d := range e.Details {
			if strings.Contains(d.Message+d.Hint, "old_string") {
				t.Errorf("%q: %+v", test.old, d)
			}
		}
	}
	// A diff that does not say that the last line has no end fits only as an edit.
	_, err := patch(dir, "--- a/open\n+++ b/open\n@@ -1 +1 @@\n-x - y\n+z\n")
	if e := tools.AsError(testEnv(dir), err); err == nil || !strings.Contains(e.Hint, "--normalize") {
		t.Errorf("%v", err)
	}
}
