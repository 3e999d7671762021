//go:build linux || darwin || freebsd

// Package peer finds the user at the other end of a unix socket.
package peer

import "net"

// Known reports whether Of works on this system.
const Known = true

// Of returns the user and the process at the other end of a connection, as they were
// when it was opened or listened for. pid is 0 if it is unknown.
func Of(c *net.UnixConn) (uid, pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	if e := raw.Control(func(fd uintptr) { uid, pid, err = socketPeer(int(fd)) }); e != nil {
		return 0, 0, e
	}
	return uid, pid, err
}
