package serve

import (
	"strings"
	"testing"
)

// TestSystemdUnit checks the quotes of a command line. systemd expands variables in
// the arguments only.
func TestSystemdUnit(t *testing.T) {
	unit := SystemdUnit([]string{`/opt/a b$c%d"e\f`, "--user", "a$b%c\nd"})
	want := `ExecStart="/opt/a b$c%%d\"e\\f" "--user" "a$$b%%c\nd"` + "\n"
	if !strings.Contains(unit, want) {
		t.Errorf("%s\nwant %s", unit, want)
	}
}
