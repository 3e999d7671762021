package commands

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"techo/commands/catalogue"
	"techo/tools"
)

// TestPageWords checks that the page has words for each tool that may be in the history.
func TestPageWords(t *testing.T) {
	source, err := os.ReadFile("page/static/app/words.js")
	if err != nil {
		t.Fatal(err)
	}
	// Families and commands whose effects are not on records: the history does not have them.
	without := []string{"ask secret", "config", "cal auth", "setup", "login", "logout", "token", "init", "store",
		"doctor", "sync init", "sync join", "sync leave"}
	for _, c := range allCommands() {
		name := cmp.Or(c.Tool.Name, c.Tool.Command)
		known := strings.Contains(string(source), "\n  "+name+": text(") ||
			strings.Contains(string(source), "\n  \""+name+"\": text(")
		unrecorded := slices.ContainsFunc(without, func(prefix string) bool {
			return name == prefix || strings.HasPrefix(name, prefix+" ")
		})
		if c.Tool.Effect != tools.Reads && !known && !unrecorded && !catalogue.Leads(c.Tool) {
			t.Errorf("%s: no words in commands/page/static/app/words.js", name)
		}
	}
}
