//go:build !windows

package system

import "testing"

// TestReflows recognizes terminals that break rows anew, and no others.
func TestReflows(t *testing.T) {
	for _, c := range []struct {
		set  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, true},
		{map[string]string{"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)", "VTE_VERSION": "7600"}, false},
		{map[string]string{"TERM": "screen", "TMUX": "/tmp/tmux,1,0"}, true},
		{map[string]string{"TERM": "screen", "VTE_VERSION": "7600"}, false},
		{map[string]string{"TERM": "tmux-256color"}, true},
		{map[string]string{"TERM": "xterm-kitty"}, true},
		{map[string]string{"TERM": "linux"}, false},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, true},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, false},
	} {
		if got := reflows(func(name string) string { return c.set[name] }); got != c.want {
			t.Errorf("%v: %v", c.set, got)
		}
	}
}
