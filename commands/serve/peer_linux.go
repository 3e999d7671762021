package serve

import (
	"net"

	"golang.org/x/sys/unix"
)

// hasPeerUID reports whether peerUID works on this system.
const hasPeerUID = true

// peerUID returns the user id of the process that opened a connection, as it was
// at that time.
func peerUID(c *net.UnixConn) (uid int, err error) {
	var cred *unix.Ucred
	if e := control(c, func(fd int) {
		cred, err = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		return 0, e
	}
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
