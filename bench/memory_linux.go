package main

import (
	"os"
	"syscall"
)

// memory is the most that a process held, in bytes.
func memory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
