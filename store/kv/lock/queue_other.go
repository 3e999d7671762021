//go:build !linux

package lock

import (
	"context"
)

// LockOwner returns the process that holds a lock. Only Linux reports it;
// elsewhere the writer's own note is used.
func LockOwner(string) (pid int, command string) { return 0, "" }

// Ticket is a place in the queue.
type Ticket struct{ *Lock }

// Enqueue waits for the queue's lock. The system decides the order.
func Enqueue(ctx context.Context, path string, reader bool, _ string, p *watchdog) (*Ticket, error) {
	h, err := lockFile(ctx, path, true, reader, p)
	return &Ticket{h}, err
}

// FirstInQueue is not supported here.
func FirstInQueue(string) (pid int, command string) { return 0, "" }

// commandInQueue is not supported here.
func commandInQueue(string, int) string { return "" }
