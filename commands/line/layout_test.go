package line

import (
	"slices"
	"strings"
	"testing"
)

// TestBreakCommand checks that a long example never separates a flag from its
// value, and that joining its lines gives the command again.
func TestBreakCommand(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{`memory investigate mem_a --query "dog details" -o text`,
			[]string{`memory investigate mem_a \`, `      --query "dog details" \`, `      -o text`}},
		{`grep "TODO or FIXME" --ignore-case --context 2`,
			[]string{`grep "TODO or FIXME" \`, `      --ignore-case --context 2`}},
		{`cal get $(techo cal list | head) --calendar work`,
			[]string{`cal get $(techo cal list | head) \`, `      --calendar work`}},
		{`memo list`, []string{`memo list`}},
	} {
		lines := breakCommand(c.command, 34)
		if !slices.Equal(lines, c.want) {
			t.Errorf("%s:\n%s", c.command, strings.Join(lines, "\n"))
		}
		if joined := strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n      ", ""); joined != c.command {
			t.Errorf("%q is joined as %q", c.command, joined)
		}
	}
}
