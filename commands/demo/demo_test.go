package demo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/commands/system"
)

// TestWords splits lines at blanks outside quotes.
func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		`fs undo`: {"fs", "undo"}, `add "a b" c`: {"add", "a b", "c"}, `"x"`: {"x"}, ``: nil,
	} {
		if got := words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFailure stops at the first command that fails, with its exit code, and removes the folder.
// The commands see nothing of the person's environment.
func TestFailure(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	var out bytes.Buffer
	w := runtest.New(t, run.Given{}, nil).System
	w.Stdout = &out
	s, calls := run.New(w, nil), 0
	if problems := s.Configure(run.Given{}); len(problems) > 0 {
		t.Fatal(problems)
	}
	code := show(t.Context(), s, func(_ context.Context, inside system.System) int {
		for _, name := range []string{"HOME", "TECHO_STORE", "TECHO_ROOTS"} {
			if !strings.HasPrefix(inside.Getenv(name), inside.Dir) {
				t.Errorf("%s is %q", name, inside.Getenv(name))
			}
		}
		if inside.Getenv("PATH") != "" || filepath.Dir(inside.Dir) != temporary || inside.Terminal != nil {
			t.Errorf("a command has the person's environment: %q", inside.Dir)
		}
		if calls++; calls == 2 {
			return 6
		}
		return 0
	})
	left, err := os.ReadDir(temporary)
	if code != 6 || calls != 2 || err != nil || len(left) > 0 || strings.Contains(out.String(), "What next") {
		t.Errorf("code %d after %d calls, left %v, %v: %s", code, calls, left, err, &out)
	}
}
