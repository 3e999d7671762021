package files

import (
	"fmt"
	"testing"
)

// TestGlobForms checks that patterns and names in composed and decomposed form
// (NFC, NFD) find each other, and that the result reports it.
func TestGlobForms(t *testing.T) {
	dir := putFiles(t, map[string]string{"cafe\u0301/re\u0301sume\u0301.txt": "", "caf\u00e9.txt": "", "b.txt": ""})
	for _, test := range []struct {
		pattern string
		want    string
		other   int
	}{
		{"**/r\u00e9sum\u00e9.*", "[cafe\u0301/re\u0301sume\u0301.txt]", 1},
		{"caf\u00e9/*.txt", "[cafe\u0301/re\u0301sume\u0301.txt]", 1},
		{"*/r\u00e9*", "[cafe\u0301/re\u0301sume\u0301.txt]", 1},
		{"cafe\u0301.txt", "[caf\u00e9.txt]", 1},
		{"caf\u00e9.txt", "[caf\u00e9.txt]", 0},
		{"b.*", "[b.txt]", 0},
	} {
		in := GlobIn{Pattern: test.pattern, Path: ".", Limit: 10, Sort: "path"}
		out, err := findFiles(t.Context(), testEnv(dir), in)
		check(t, err)
		if got := fmt.Sprint(out.Paths); got != test.want || out.Normalized != test.other {
			t.Errorf("%+q: %+q, %d in the other form", test.pattern, got, out.Normalized)
		}
	}
	out := searchFor(t, dir,
		GrepIn{Pattern: "x", Path: ".", Include: "r\u00e9sum\u00e9.txt", FilesWithout: true, Limit: 10})
	if len(out.Paths) != 1 {
		t.Errorf("include: %+q", out.Paths)
	}
}
