//go:build unix

package export

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"techo/internal/atomicfile"
)

// lockFolder waits until no other run writes to a folder. The lock ends with the
// process.
func lockFolder(ctx context.Context, root *os.Root) (*os.File, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		select {
		case <-ctx.Done():
			d.Close()
			return nil, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if atomicfile.IgnoreUnsupported(err) != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}
