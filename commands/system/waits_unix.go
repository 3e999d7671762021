//go:build !windows

package system

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// stdinWaits reports whether stdin has input now. A pipe that stays silent, as programs that
// run commands often leave behind, has none.
func stdinWaits() bool {
	st, err := os.Stdin.Stat()
	if err != nil || !st.Mode().IsRegular() && st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return false
	}
	if st.Mode().IsRegular() {
		at, err := os.Stdin.Seek(0, 1)
		return err == nil && at < st.Size()
	}
	ready := []unix.PollFd{{Fd: int32(os.Stdin.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(ready, 0)
	return err == nil && n > 0 && ready[0].Revents&unix.POLLIN != 0
}
