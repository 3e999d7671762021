package serve

import "golang.org/x/sys/unix"

// socketPeer returns the user and the process at the other end of a unix socket.
func socketPeer(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Uid), int(cred.Pid), nil
}
