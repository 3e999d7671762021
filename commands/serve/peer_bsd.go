//go:build darwin || freebsd

package serve

import (
	"net"

	"golang.org/x/sys/unix"
)

// knowsPeer says that peerUID works here.
const knowsPeer = true

// peerUID returns the user at the other end of a unix socket, as it was when it
// connected.
func peerUID(c *net.UnixConn) (uid int, err error) {
	var cred *unix.Xucred
	if e := control(c, func(fd int) {
		cred,
			err = unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); e != nil {
		return 0, e
	}
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
