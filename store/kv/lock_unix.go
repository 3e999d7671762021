//go:build unix

package kv

import (
	"errors"
	"os"
	"syscall"
)

func tryLock(f *os.File, alone bool) error {
	err := flock(f, alone, syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errWouldBlock
	}
	return err
}

func waitLock(f *os.File, alone bool) error { return flock(f, alone, 0) }

func flock(f *os.File, alone bool, how int) error {
	if alone {
		how |= syscall.LOCK_EX
	} else {
		how |= syscall.LOCK_SH
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// freeBytes tells how much room is left where dir lies, or -1.
func freeBytes(dir string) int64 {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return -1
	}
	return int64(uint64(st.Bavail) * uint64(st.Bsize))
}

// isNoSpace reports whether err is a full disk or quota.
func isNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
