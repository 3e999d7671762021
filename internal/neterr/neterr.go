// Package neterr recognizes faults of connections, on Windows also. Its sockets have error numbers
// of their own, which the names of package syscall do not mean.
package neterr

import (
	"errors"
	"syscall"
)

// Error numbers of Winsock. No other system has such high ones.
const (
	InUse       = syscall.Errno(10048) // WSAEADDRINUSE
	Unreachable = syscall.Errno(10051) // WSAENETUNREACH
	Aborted     = syscall.Errno(10053) // WSAECONNABORTED
	WasReset    = syscall.Errno(10054) // WSAECONNRESET
	TimedOut    = syscall.Errno(10060) // WSAETIMEDOUT
	WasRefused  = syscall.Errno(10061) // WSAECONNREFUSED
	NoRoute     = syscall.Errno(10065) // WSAEHOSTUNREACH
)

// Refused reports whether nothing listens at an address.
func Refused(err error) bool { return is(err, syscall.ECONNREFUSED, WasRefused) }

// Reset reports whether the other side, or the network, ended a connection.
func Reset(err error) bool { return is(err, syscall.ECONNRESET, syscall.EPIPE, WasReset, Aborted) }

// Taken reports whether another program listens at an address.
func Taken(err error) bool { return is(err, syscall.EADDRINUSE, InUse) }

func is(err error, faults ...error) bool {
	for _, e := range faults {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
