//go:build !linux

package kv

import (
	"context"
)

// lockOwner returns the process that holds a lock. Only Linux reports it;
// elsewhere the writer's own note is used.
func lockOwner(string) (pid int, command string) { return 0, "" }

// ticket is a place in the queue.
type ticket struct{ fileLock *fileLock }

func (t *ticket) release() {
	if t != nil {
		t.fileLock.release()
	}
}

// enqueue waits for the queue's lock. The system decides the order.
func enqueue(ctx context.Context, path string, reader bool, _ string, p *patience) (*ticket, error) {
	h, err := lockFile(ctx, path, true, reader, p)
	return &ticket{h}, err
}

// firstInQueue is not supported here.
func firstInQueue(string) (pid int, command string) { return 0, "" }

// commandInQueue is not supported here.
func commandInQueue(string, int) string { return "" }
