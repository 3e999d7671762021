//go:build !linux && !darwin && !freebsd

package serve

import (
	"errors"
	"net"
)

// knowsPeer says that this system does not tell who is at the other end of a
// socket: a server on one asks for a token, as on TCP.
const knowsPeer = false

func peerUID(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }
