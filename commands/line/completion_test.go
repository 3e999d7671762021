package line

import (
	"regexp"
	"testing"
)

// TestCompletionScripts checks that each shell has a script, and that no script
// evaluates the typed words.
func TestCompletionScripts(t *testing.T) {
	evaluates := regexp.MustCompile(`\beval\b|\(\w*e\w*\)|\bsh -c`)
	shells := CompletionCommand().Tool.Input().Property("shell").Enum
	if len(shells) != len(completionScripts) {
		t.Errorf("%d shells, %d scripts", len(shells), len(completionScripts))
	}
	for _, shell := range shells {
		if script := completionScripts[shell]; script == "" || evaluates.MatchString(script) {
			t.Errorf("%s:\n%s", shell, script)
		}
	}
}
