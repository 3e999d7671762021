package system

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestGitConfig lists git's configuration files for several environments.
func TestGitConfig(t *testing.T) {
	home := t.TempDir()
	own, user := filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig")
	for _, c := range []struct {
		env  map[string]string
		want []string
	}{
		{nil, []string{"/etc/gitconfig", own, user}},
		{map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}, []string{own, user}},
		{map[string]string{"GIT_CONFIG_NOSYSTEM": "false"}, []string{"/etc/gitconfig", own, user}},
		{map[string]string{"GIT_CONFIG_SYSTEM": "/x"}, []string{"/x", own, user}},
		{map[string]string{"GIT_CONFIG_GLOBAL": filepath.Join(home, "g")},
			[]string{"/etc/gitconfig", filepath.Join(home, "g")}},
		{map[string]string{"GIT_CONFIG_GLOBAL": "g", "GIT_CONFIG_NOSYSTEM": "on"}, []string{filepath.Join(home, "g")}},
	} {
		w := System{Dir: home, Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return c.env[name]
		}}
		if got := w.GitConfig(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}
