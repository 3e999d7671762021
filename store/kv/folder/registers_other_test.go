//go:build !unix

package folder

// disturb kills a process, or does nothing.
func (c *client) disturb(how int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if how == 0 {
		_ = c.Process.Kill()
	}
}
