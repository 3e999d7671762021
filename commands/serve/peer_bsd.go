//go:build darwin || freebsd

package serve

import "golang.org/x/sys/unix"

// socketUID returns the user id of the peer of a unix socket.
func socketUID(fd int) (uid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
