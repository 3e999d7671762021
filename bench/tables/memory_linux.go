package tables

import (
	"os"
	"runtime/debug"
	"syscall"
)

// forgetPeak makes the peak memory of processes that start from now on their own: Linux begins with that of the
// process that starts them.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory returns the peak memory of a process that has ended, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
