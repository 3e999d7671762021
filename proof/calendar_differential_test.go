package proof

import (
	"os"
	"os/exec"
	"testing"

	"techo/internal/testenv"
)

// TestDifferential compares the calendar with three libraries of Python, a part of what
// testdata/differential.py compares by itself.
func TestDifferential(t *testing.T) {
	testenv.All(t, "runs for half a minute")
	python := os.Getenv("TECHO_TEST_CALENDARS")
	if python == "" {
		t.Skip("TECHO_TEST_CALENDARS names no Python with dateutil, recurring_ical_events and icalendar")
	}
	out, err := exec.Command(python, "testdata/differential.py", program, "--rules", "300", "--series", "300",
		"--messages", "60").CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Fatal(err)
	}
}
