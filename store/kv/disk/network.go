package disk

import (
	"os"
	"path/filepath"

	"techo/store/kv"
)

// CheckLocal fails when a folder, or its nearest existing parent, is on a network
// file system.
func CheckLocal(dir string, kindOf func(string) string) error {
	at := dir
	for filepath.Dir(at) != at {
		if _, err := os.Stat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	if kind := kindOf(at); kind != "" {
		return &kv.NetworkError{Path: dir, Kind: kind}
	}
	return nil
}
