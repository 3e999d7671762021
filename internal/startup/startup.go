// Package startup prepares the process before other packages are initialized. Only main
// imports it. It needs packages without initialization only, so that it comes early:
// before unicode, which most packages wait for.
package startup

import (
	"runtime"

	"techo/internal/stack"
)

// Procs is the number of processors that the runtime had chosen. Initialization runs on
// one; package procs raises the number again.
var Procs = prepare()

// prepare enlarges the main stack and leaves the process one processor. It returns the
// number it had.
func prepare() int {
	stack.Grow()
	return runtime.GOMAXPROCS(1)
}
