package proof

import (
	"os/exec"
	"testing"

	"techo/internal/testenv"
)

// TestDifferential compares the calendar with three libraries of Python, a part of what
// testdata/differential.py compares by itself.
func TestDifferential(t *testing.T) {
	testenv.All(t, "installs three libraries and runs for half a minute")
	python := testenv.Python(t, "python-dateutil==2.9.0.post0", "recurring-ical-events==3.8.2", "icalendar==7.3.2")
	out, err := exec.Command(python, "testdata/differential.py", program, "--rules", "150", "--series", "150",
		"--messages", "40").CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Fatal(err)
	}
}
