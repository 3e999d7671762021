package procs

import (
	"runtime"
	"testing"
	"time"
)

// TestAll restricts the test's process. It gets its processors back without a call of
// All, which then reports them.
func TestAll(t *testing.T) {
	t.Setenv("GOMAXPROCS", "3") // the number then does not depend on the machine
	t.Cleanup(func() { runtime.GOMAXPROCS(runtime.NumCPU()) })
	runtime.GOMAXPROCS(1)
	Restricted(3)
	if got := Number(); got != 3 {
		t.Errorf("Number: %d of 3 processors", got)
	}
	for end := time.Now().Add(time.Minute); runtime.GOMAXPROCS(0) == 1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the process kept one processor")
		}
	}
	if got := All(); got != 3 {
		t.Errorf("All: %d of 3 processors", got)
	}
}
