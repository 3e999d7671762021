package serve

import "golang.org/x/sys/unix"

// socketUID returns the user id of the peer of a unix socket.
func socketUID(fd int) (uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
