package testenv

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// isolatedTest is the variable with the name of the test that runs in a network of its own.
const isolatedTest = "TECHO_TEST_ISOLATED"

// Isolated runs a test again, in a network that nothing leads out of. Its loopback has all
// addresses, so that a connection to any of them reaches a listener of the test and no
// stranger. Isolated returns true in that run. Otherwise the test has run, and returns:
//
//	if !testenv.Isolated(t) {
//		return
//	}
//
// A system that does not permit such a network ends the test as Missing does.
func Isolated(t *testing.T) bool {
	t.Helper()
	if os.Getenv(isolatedTest) == t.Name() {
		if err := ownAllAddresses(); err != nil {
			t.Skip("a network of its own: " + err.Error())
		}
		return true
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(program, "-test.v", "-test.run=^"+regexp.QuoteMeta(t.Name())+"$")
	again.Env = append(os.Environ(), isolatedTest+"="+t.Name())
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := again.CombinedOutput()
	switch {
	case err != nil && !errors.As(err, new(*exec.ExitError)):
		Missing(t, "a network of its own: "+err.Error())
	case strings.Contains(string(out), "--- SKIP: "+t.Name()):
		Missing(t, string(out))
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("in a network of its own: %v\n%s", err, out)
	}
	return false
}

func ownAllAddresses() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, loopback); err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, loopback); err != nil {
		return err
	}
	index := loopback.Uint32()
	return errors.Join(ownFamily(unix.AF_INET, index), ownFamily(unix.AF_INET6, index))
}

// ownFamily makes all addresses of a family local ones of an interface (rtnetlink(7)).
func ownFamily(family byte, index uint32) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	e := binary.NativeEndian
	m := e.AppendUint32(nil, unix.SizeofNlMsghdr+unix.SizeofRtMsg+unix.SizeofRtAttr+4)
	m = e.AppendUint16(m, unix.RTM_NEWROUTE)
	m = e.AppendUint16(m, unix.NLM_F_REQUEST|unix.NLM_F_CREATE|unix.NLM_F_ACK)
	m = append(m, 0, 0, 0, 0, 0, 0, 0, 0) // sequence, port
	m = append(m, family, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_BOOT, unix.RT_SCOPE_HOST, unix.RTN_LOCAL)
	m = append(m, 0, 0, 0, 0) // flags
	m = e.AppendUint16(m, unix.SizeofRtAttr+4)
	m = e.AppendUint16(m, unix.RTA_OIF)
	m = e.AppendUint32(m, index)
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil || n < unix.SizeofNlMsghdr+4 {
		return errors.Join(err, errors.New("no answer of rtnetlink"))
	}
	if code := int32(e.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}
