package setup

import (
	"path/filepath"
	"testing"

	"techo/commands/system"
)

// TestPlaces checks the places of files that depend on the system and on variables.
func TestPlaces(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		client, os, variable, want string
	}{
		{"vscode", "linux", "", ".config/Code/User/mcp.json"},
		{"vscode", "darwin", "", "Library/Application Support/Code/User/mcp.json"},
		{"vscode", "windows", "APPDATA", "moved/Code/User/mcp.json"},
		{"zed", "darwin", "", ".config/zed/settings.json"},
		{"zed", "windows", "", "AppData/Roaming/Zed/settings.json"},
		{"zed", "linux", "XDG_CONFIG_HOME", "moved/zed/settings.json"},
		{"opencode", "windows", "", ".config/opencode/opencode.json"},
		{"claude", "linux", "CLAUDE_CONFIG_DIR", "moved/.claude.json"},
		{"codex", "darwin", "CODEX_HOME", "moved/config.toml"},
		{"gemini", "linux", "GEMINI_CLI_HOME", "moved/.gemini/settings.json"},
		{"windsurf", "windows", "", ".codeium/windsurf/mcp_config.json"},
	} {
		m := machine{system.System{Dir: home, Getenv: func(name string) string {
			switch name {
			case "HOME":
				return home
			case c.variable:
				return filepath.Join(home, "moved")
			}
			return ""
		}}, c.os}
		want := filepath.Join(home, filepath.FromSlash(c.want))
		if got := find(c.client).servers[0](m); got != want {
			t.Errorf("%s on %s: %s, want %s", c.client, c.os, got, want)
		}
	}
}
