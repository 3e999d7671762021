//go:build unix

package lock

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Try takes the lock on a file, or fails with ErrHeld.
func Try(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

func waitLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func freeLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// DatabaseExcludes reports whether Database keeps others out.
const DatabaseExcludes = true

// Database takes the lock that Badger has on the folder of an open database:
// when Badger opens it, it removes tables that are not in the manifest yet.
// It waits so long for it, and then fails with ErrHeld.
func Database(tables string, patience time.Duration) (unlock func(), err error) {
	f, err := os.Open(tables)
	if err != nil {
		return nil, err
	}
	err = Try(f)
	for end := time.Now().Add(patience); errors.Is(err, ErrHeld) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		err = Try(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { _ = freeLock(f); f.Close() }, nil
}
