// Package procs keeps a short process on one processor.
//
// Most commands take a few milliseconds on a single goroutine. With several processors
// the runtime starts threads for its own background goroutines meanwhile. They find
// nothing to do, but each costs a system call, and while one is awake the kernel has to
// interrupt its processor for every page that the process copies on its first write.
// On 2 processors that was 4 % of the CPU time of techo memo list. Main restricts the process.
package procs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// long is the age at which a process gets all its processors without asking for them.
const long = 20 * time.Millisecond

var (
	before atomic.Int32 // number of processors of a restricted process; 0 in any other
	raise  sync.Once
)

// Restricted states that the process runs on one processor and had the given number before.
// A process that is still running after 20 ms gets them back.
func Restricted(had int) {
	before.Store(int32(had))
	time.AfterFunc(long, func() { All() })
}

// Number returns the number of processors that All would give the process.
func Number() int { return max(int(before.Load()), runtime.GOMAXPROCS(0)) }

// All gives the process all its processors: as many as the runtime would have chosen. It
// returns their number. Work for several goroutines calls it when it begins.
func All() int {
	raise.Do(func() {
		had := int(before.Load())
		if had <= 1 {
			return
		}
		runtime.SetDefaultGOMAXPROCS() // follows the limit of the container from now on
		if runtime.GOMAXPROCS(0) != had {
			runtime.GOMAXPROCS(had) // from the environment
		}
	})
	return runtime.GOMAXPROCS(0)
}
