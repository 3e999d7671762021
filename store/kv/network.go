package kv

import (
	"fmt"
	"os"
	"path/filepath"
)

// NetworkError is returned for a store on a network file system, where locks and
// syncs may not work as documented and two machines could write at once.
type NetworkError struct {
	Path string
	Kind string // "nfs", …
}

func (e *NetworkError) Error() string {
	return fmt.Sprintf("%s: on a network file system (%s)", e.Path, e.Kind)
}

// localPlace fails when a folder, or its nearest existing parent, is on a network
// file system.
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
