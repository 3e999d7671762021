//go:build !linux && !darwin && !freebsd

package serve

import (
	"errors"
	"net"
)

// knowsPeers is false: this system does not report the user at the other end of a socket. A server
// on a socket requires a token, as on TCP.
const knowsPeers = false

func peerOf(*net.UnixConn) (uid, pid int, err error) { return 0, 0, errors.ErrUnsupported }
