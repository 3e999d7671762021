package kv

import (
	"fmt"
	"os"
	"path/filepath"
)

// NetworkError says that a store would lie on a network file system. Locks and
// syncs there may not hold what they promise, so that two machines could write
// at once.
type NetworkError struct {
	Path string
	Kind string // "nfs", …
}

func (e *NetworkError) Error() string {
	return fmt.Sprintf("%s: on a network file system (%s)", e.Path, e.Kind)
}

// localPlace fails when a folder, or the place where it would be made, lies on
// a network file system.
func localPlace(dir string, kindOf func(string) string) error {
	at := dir
	for filepath.Dir(at) != at {
		if _, err := os.Stat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	if kind := kindOf(at); kind != "" {
		return &NetworkError{Path: dir, Kind: kind}
	}
	return nil
}
