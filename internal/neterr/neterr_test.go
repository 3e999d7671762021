package neterr

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestFaults(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if other, err := net.Listen("tcp", address); !Taken(err) {
		t.Errorf("%v %v", other, err)
	}
	l.Close()
	if c, err := net.Dial("tcp", address); !Refused(err) {
		t.Errorf("%v %v", c, err)
	}
	for err, want := range map[error][3]bool{
		errors.New("x"): {}, nil: {}, syscall.ECONNRESET: {1: true}, syscall.EPIPE: {1: true}, WasReset: {1: true},
		Aborted: {1: true}, WasRefused: {0: true}, InUse: {2: true}, TimedOut: {},
	} {
		if got := [3]bool{Refused(err), Reset(err), Taken(err)}; got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
