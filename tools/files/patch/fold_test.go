package patch

import (
	"fmt"
	"strings"
	"testing"
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
