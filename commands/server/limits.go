package server

import (
	"runtime/debug"
	"time"

	"techo/tools"
)

// Limits of a server. The limits on memory add up to less than memoryLimit.
const (
	MaxBody    = 32 << 20 // bytes of one request: the largest value of the store fits, escaped as JSON
	maxWaiting = 256      // questions that wait for the person at once

	documentRoom = 144 << 20 // bytes of web pages and PDFs in work; further ones wait
	memoryLimit  = 420 << 20 // bytes above which the garbage collector runs without pause
)

// EndTime is how long a call has to answer after its context has ended.
const EndTime = 2 * time.Second

// BoundMemory makes the process return memory as a server should. The heap of an idle server is
// small, so it may grow to a few times of what is in use before a collection. Short commands let
// it grow further.
func BoundMemory() {
	debug.SetGCPercent(300)
	debug.SetMemoryLimit(memoryLimit)
}

// RetryLater returns the error of a request that exceeds a limit of the server
// now, and may succeed later.
func RetryLater(env *tools.Env, message tools.Text, args ...any) *tools.Error {
	return retryIn(env, time.Second, message, args...)
}
