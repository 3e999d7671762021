package soup

import (
	"strings"
	"testing"
)

// TestUnclosedInTables checks that unclosed tags in the cells of tables are not taken for an attack.
func TestUnclosedInTables(t *testing.T) {
	m := measure(strings.Repeat("<table><tr><td><font size=2>a<td><b>b</table>", 20_000))
	if m.excessive() || m.cut {
		t.Error("the tables are taken for one")
	}
}
