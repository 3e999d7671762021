package ingest

import (
	"runtime/debug"
	"testing"
)

// TestBoundMemory checks that an import limits its memory, and leaves a lower limit.
func TestBoundMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	debug.SetMemoryLimit(2 * memoryLimit)
	if boundMemory(); debug.SetMemoryLimit(-1) != memoryLimit {
		t.Errorf("the limit is %d bytes", debug.SetMemoryLimit(-1))
	}
	debug.SetMemoryLimit(memoryLimit / 2)
	if boundMemory(); debug.SetMemoryLimit(-1) != memoryLimit/2 {
		t.Errorf("a lower limit became %d bytes", debug.SetMemoryLimit(-1))
	}
}
