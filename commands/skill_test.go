package commands

import (
	"slices"
	"testing"

	"techo/commands/run"
	"techo/tools"
)

// TestPreapproved checks that the commands that a skill pre-approves only read the store,
// whichever flags are appended to them.
func TestPreapproved(t *testing.T) {
	elsewhere := []string{"path", "to_dir", "url", "file", "save", "to", "root"}
	harmless := []string{"working-hours", "working-days", "event-buffer"} // they change what is suggested only
	n := 0
	for _, tool := range families() {
		if !tool.Preapproved {
			continue
		}
		n++
		if tool.Effect != tools.Reads || tool.For != tools.Agents {
			t.Errorf("%s is pre-approved and does more than read for an agent", tool.Name)
		}
		for _, field := range tool.Input().Names() {
			if slices.Contains(elsewhere, field) {
				t.Errorf("%s is pre-approved and has the field %s", tool.Name, field)
			}
		}
		for _, s := range run.Settings {
			if slices.Contains(s.Only, tool.Command) && !slices.Contains(harmless, s.Name) {
				t.Errorf("%s is pre-approved and has the setting --%s", tool.Name, s.Name)
			}
		}
		for _, other := range families() { // a pattern also covers the commands below
			if other != tool && len(other.Command) > len(tool.Command) &&
				other.Command[:len(tool.Command)+1] == tool.Command+" " {
				t.Errorf("the pattern of %s covers %s", tool.Name, other.Command)
			}
		}
	}
	if n == 0 {
		t.Error("nothing is pre-approved")
	}
}
