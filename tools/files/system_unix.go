//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// nonBlocking keeps open from waiting for the other end of a FIFO.
const nonBlocking = syscall.O_NONBLOCK

// isFull reports whether the disk or a quota is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// tryLock locks a file unless another process has locked it. On file systems
// without locks it always succeeds.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// waitLock locks a file, waiting for other processes.
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

// linkCount returns the number of hard links to a file.
func linkCount(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// temporaryMode is the mode of a temporary file until its owner is set.
func temporaryMode(fs.FileInfo) fs.FileMode { return 0o600 }

// belong sets the owner and the mode of old.
func (p *pending) belong(old fs.FileInfo) error {
	mine, err := p.Stat()
	if err != nil {
		return err
	}
	was, is := old.Sys().(*syscall.Stat_t), mine.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if err := p.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	if old.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		p.mode = old.Mode()
	}
	return p.Chmod(old.Mode()) // last, because changing the owner clears set-uid
}
