//go:build unix

package paths

import (
	"errors"
	"os"
	"syscall"
)

const onWindows = false

func isInUse(error) bool { return false }

func isInvalidName(error) bool { return false }

// IsFull reports whether the disk or a quota is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// TryLock locks a file unless another process has locked it. On file systems
// without locks it always succeeds.
func TryLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

func waitLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case syscall.EINTR:
		case syscall.ENOTSUP, syscall.ENOSYS, syscall.ENOLCK, syscall.EBADF:
			return nil
		default:
			return err
		}
	}
}
