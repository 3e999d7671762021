package lock

import (
	"os"
	"os/exec"
	"testing"
)

// TestCommandOf describes this process, and one that has ended but was not waited for.
func TestCommandOf(t *testing.T) {
	if name := commandOf(os.Getpid()); name == "" || name == "." {
		t.Errorf("%q", name)
	}
	c := exec.Command("true")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Wait() }()
	for { // until the process has ended, which closes its output
		if _, err := out.Read(make([]byte, 1)); err != nil {
			break
		}
	}
	for commandOf(c.Process.Pid) == "true" { // its memory goes a little later
	}
	if name := commandOf(c.Process.Pid); name != "" {
		t.Errorf("%q", name)
	}
}

// TestLockOwnerDevice finds the owner of a lock among locks on files with the same
// inode number on other devices.
func TestLockOwnerDevice(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF
2: FLOCK  ADVISORY  WRITE 22 08:01:77 0 EOF
3: FLOCK  ADVISORY  READ 33 fe:00:77 0 EOF
3: -> FLOCK  ADVISORY  WRITE 44 fe:00:77 0 EOF
4: FLOCK  ADVISORY  WRITE 55 fe:00:177 0 EOF
5: FLOCK  ADVISORY  WRITE 0 103:10:88 0 EOF
6: FLOCK  ADVISORY  WRITE 66 103:10:88 0 EOF
`
	for _, c := range []struct {
		major, minor uint32
		inode        uint64
		want         int
	}{
		{0xfe, 0, 77, 33},
		{8, 1, 77, 22},
		{0x103, 0x10, 88, 66},
		{0, 0x2a, 177, 55}, // a subvolume of btrfs has a device of its own
		{0xfe, 0, 99, 0},
	} {
		if got := ownerIn(locks, c.major, c.minor, c.inode); got != c.want {
			t.Errorf("%x:%x:%d: pid %d, want %d", c.major, c.minor, c.inode, got, c.want)
		}
	}
}
