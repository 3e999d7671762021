//go:build linux || darwin || freebsd

package serve

import "net"

// hasPeerUID reports whether peerUID works on this system.
const hasPeerUID = true

// peerUID returns the user id of the process that opened a connection, as it was
// at that time.
func peerUID(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := raw.Control(func(fd uintptr) { uid, err = socketUID(int(fd)) }); e != nil {
		return 0, e
	}
	return uid, err
}
