//go:build unix

package lock

import (
	"errors"
	"os"
	"syscall"
)

func Try(f *os.File, exclusive bool) error {
	err := flock(f, exclusive, syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

func waitLock(f *os.File, exclusive bool) error { return flock(f, exclusive, 0) }

func freeLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func flock(f *os.File, exclusive bool, how int) error {
	if exclusive {
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

// Database takes the lock that Badger has on the folder of an open database:
// when Badger opens it, it removes tables that are not in the manifest yet.
// Without waiting it fails with ErrHeld.
func Database(tables string) (unlock func(), err error) {
	f, err := os.Open(tables)
	if err != nil {
		return nil, err
	}
	if err := Try(f, true); err != nil {
		f.Close()
		return nil, err
	}
	return func() { _ = freeLock(f); f.Close() }, nil
}
