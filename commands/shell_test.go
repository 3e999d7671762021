package commands

import (
	"slices"
	"strings"
	"testing"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
)

// TestPossibleCommands checks that a line with the words of a command gets that
// command, although not all commands are built for it.
func TestPossibleCommands(t *testing.T) {
	a := programOf(run.New(system.System{}, families()))
	for _, c := range a.Commands() {
		for _, place := range append(c.Tool.Spellings(), c.Tool.Command) {
			line := strings.Fields(place)
			built := shellCommands(a, func(words ...string) bool {
				return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(line, w) })
			})
			if !slices.Contains(namesOf(built), c.Tool.Command) && !slices.Contains(a.Run.Offered, c.Tool) {
				t.Errorf("%q is not built for the line %q", c.Tool.Command, place)
			}
		}
	}
	if built := shellCommands(a, func(...string) bool { return false }); len(built) > 0 {
		t.Errorf("%q are built for every line", namesOf(built))
	}
}

func namesOf(all []*line.Command) (found []string) {
	for _, c := range all {
		found = append(found, c.Tool.Command)
	}
	return found
}
