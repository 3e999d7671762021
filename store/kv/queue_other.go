//go:build !linux

package kv

import "context"

// ticket is a place in the queue.
type ticket struct{ held *held }

func (t *ticket) release() {
	if t != nil {
		t.held.release()
	}
}

// enqueue waits until the queue's lock is free. Who comes first is up to the
// system.
func enqueue(ctx context.Context, path string, reader bool, _ string, failed func()) (*ticket, error) {
	h, err := lockFile(ctx, path, true, reader, failed)
	return &ticket{h}, err
}

// firstInQueue tells who is first in the queue; here nobody knows.
func firstInQueue(string) (pid int, command string) { return 0, "" }

// commandInQueue tells what a process called itself; here nobody knows.
func commandInQueue(string, int) string { return "" }
