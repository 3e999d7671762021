//go:build darwin || freebsd

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
	var cred *unix.Xucred
	if e := control(c, func(fd int) {
		cred, err = unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); e != nil {
		return 0, e
	}
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
