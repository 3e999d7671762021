//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noWait keeps an opening from waiting for the other end of a FIFO.
const noWait = syscall.O_NONBLOCK

// isFull reports whether there was no room on the disk or in the quota.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// tryLock locks a file against others who lock it, unless one of them has it.
// Where there are no locks, it is as if nobody had.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// waitLock locks a file as soon as nobody else has it locked.
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

// names returns how many names a file has.
func names(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// syncDir makes what happened to the names in a folder durable.
func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
