package patch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/internal/charset"
	"techo/tools/files/document"
)

// TestPatchFoldsOnce applies many blocks that match only apart from dashes. Each line must be
// folded once, not for each block: else the allocations are their product.
func TestPatchFoldsOnce(t *testing.T) {
	const lines, blocks = 2000, 40
	var text, blocksText strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "line %d — text\n", i)
	}
	blocksText.WriteString("f\n")
	for i := range blocks {
		fmt.Fprintf(&blocksText, "<<<<<<< SEARCH\nline %d - text\n=======\nnew %[1]d\nmore\n>>>>>>> REPLACE\n",
			i*lines/blocks)
	}
	dir := putFiles(t, map[string]string{"f": text.String()})
	n := testing.AllocsPerRun(1, func() {
		out, err := applyPatch(t.Context(), testEnv(dir), In{Patch: blocksText.String(), DryRun: true})
		check(t, err)
		if out.Files[0].Replacements != blocks {
			t.Errorf("%+v", out)
		}
	})
	if n > lines*blocks {
		t.Errorf("%v allocations", n)
	}
}

// TestPatchTakesPlain checks the plain lines that a text takes over from the text before a change.
func TestPatchTakesPlain(t *testing.T) {
	texts := []string{"", "a — b\n", "a — b\nc", "c\na — b\nc\n", "x\nx\nx\n", "x\nx\n", "“x”\nx\nx\nx",
		"c\n"}
	for _, was := range texts {
		for _, is := range texts {
			before, after := patchTextOf(t, was), patchTextOf(t, is)
			before.plain()
			takePlain(after, before)
			if got, want := after.plain(), patchTextOf(t, is).plain(); !slices.Equal(got, want) {
				t.Errorf("%q after %q: %q, want %q", is, was, got, want)
			}
		}
	}
}

func patchTextOf(t *testing.T, text string) *patchText {
	t.Helper()
	c, _ := charset.Detect([]byte(text))
	return newPatchText(document.New([]byte(text), c))
}
