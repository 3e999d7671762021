package kv

import "os"

// fileOf is the file that a place in the queue is locked in.
func fileOf(t *ticket) *os.File { return t.file }
