//go:build unix

package serve

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lockTime is how long lockFolder waits.
const lockTime = 2 * time.Second

// lockFolder keeps other servers of this user out of a folder until unlock is
// called. Another user who can read the folder could lock it forever, so
// lockFolder goes on without the lock after lockTime.
func lockFolder(dir string) (unlock func()) {
	d, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(lockTime); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
	}
	return func() { _ = d.Close() } // closing releases the lock
}
