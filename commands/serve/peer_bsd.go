//go:build darwin || freebsd

package serve

import "golang.org/x/sys/unix"

// socketPeer returns the user at the other end of a unix socket. The process is 0: unknown.
func socketPeer(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Uid), 0, nil
}
