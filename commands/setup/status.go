package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Status is the state of what setup adds to a file.
type Status string

// The states, from the best to the worst.
const (
	Current Status = "ok"
	Absent  Status = "absent"  // it was never added
	Missing Status = "missing" // it was added, and is gone
	Stale   Status = "stale"   // another version of techo added it, or it was changed
	Broken  Status = "broken"  // the client cannot read it, or cannot start techo
)

// worse returns the worse of two states. Only an absent addition is better than a
// current one.
func worse(a, b Status) Status {
	order := []Status{Absent, Current, Missing, Stale, Broken}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// isProgram reports whether a command of a configuration can be started.
func isProgram(command string) bool {
	if !filepath.IsAbs(command) {
		_, err := exec.LookPath(command)
		return err == nil
	}
	st, err := os.Stat(command)
	return err == nil && st.Mode().IsRegular()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
