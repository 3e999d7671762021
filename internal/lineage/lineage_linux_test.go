package lineage

import (
	"os"
	"testing"
)

// TestOf reads the tree of this process, as far as the system shows it.
func TestOf(t *testing.T) {
	own := Of(os.Getpid())
	if !own.Known() {
		t.Skip("not shown here: the processes up to process 1")
	}
	p, last := own.Processes[0], own.Processes[len(own.Processes)-1]
	if p.PID != os.Getpid() || p.UID != os.Getuid() || p.Start == 0 || p.Start > own.Read || last.PID != 1 {
		t.Errorf("%+v", own)
	}
	if v, why := Judge(own, own); v != Askers || why != Related {
		t.Errorf("its own answer: %d, %d", v, why)
	}
	if Of(1<<22 + 1).Known() { // no process has the number
		t.Error("a process that does not exist")
	}
}
