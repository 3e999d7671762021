package tools

import "testing"

// TestAudience checks which tools each audience is offered.
func TestAudience(t *testing.T) {
	order := []Audience{"", Agents, Hosts, Persons}
	for i, who := range order {
		for j, tool := range order {
			if got, want := who.Includes(tool), j > 0 && j <= i; got != want {
				t.Errorf("%q includes %q: %v", who, tool, got)
			}
		}
	}
	if Audience("root").Includes(Agents) {
		t.Error("an unknown audience is offered tools")
	}
}
