package serve

import (
	"encoding/xml"
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

// TestLaunchdUnit checks that the plist is XML and contains the arguments as given.
func TestLaunchdUnit(t *testing.T) {
	args := []string{"/opt/a b", "--user", `<a & "b">`}
	var plist struct {
		Strings []string `xml:"dict>array>string"`
	}
	if err := xml.Unmarshal([]byte(LaunchdUnit(args, "/home/a")), &plist); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(plist.Strings, "\n"); got != strings.Join(args, "\n") {
		t.Errorf("arguments %q, want %q", plist.Strings, args)
	}
}
