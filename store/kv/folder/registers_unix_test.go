//go:build unix

package folder

import (
	"syscall"
	"time"
)

// disturb kills a process, or stops it for a moment, or does nothing.
func (c *client) disturb(how int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch how {
	case 0:
		_ = c.Process.Kill()
	case 1, 2:
		_ = c.Process.Signal(syscall.SIGSTOP)
		time.Sleep(2 * time.Millisecond)
		_ = c.Process.Signal(syscall.SIGCONT)
	}
}
