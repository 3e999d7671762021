//go:build linux || darwin || freebsd

package serve

import "net"

// knowsPeers reports whether peerOf works on this system.
const knowsPeers = true

// peerOf returns the user and the process at the other end of a connection, as they were when it was
// opened or listened for. pid is 0 if it is unknown.
func peerOf(c *net.UnixConn) (uid, pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	if e := raw.Control(func(fd uintptr) { uid, pid, err = socketPeer(int(fd)) }); e != nil {
		return 0, 0, e
	}
	return uid, pid, err
}
