//go:build !linux

package tables

import "errors"

// slowDisk needs FUSE.
func slowDisk(string) (string, func() error, error) {
	return "", nil, errors.New("only on Linux")
}
