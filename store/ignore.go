package store

import (
	"errors"

	"techo/store/kv"
)

// ignoreMissing turns kv.ErrNotFound into no error.
func ignoreMissing(err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	return err
}
