package google

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lock waits until no other call on this machine holds the lock of a name. Where
// files cannot be locked it does not wait: callers check their result again.
func (s *Access) lock(ctx context.Context, name string) (unlock func(), err error) {
	dir := filepath.Join(s.system.Config(), "techo", "locks")
	if os.MkdirAll(dir, 0o700) != nil {
		return func() {}, nil
	}
	digest := sha256.Sum256([]byte(name))
	path := filepath.Join(dir, hex.EncodeToString(digest[:8]))
	locked := make(chan func(), 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		if err != nil {
			unlock = func() {}
		}
		locked <- unlock
	}()
	select {
	case unlock := <-locked:
		return unlock, nil
	case <-ctx.Done():
		go func() { (<-locked)() }()
		return nil, context.Cause(ctx)
	}
}
