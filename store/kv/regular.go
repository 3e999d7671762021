package kv

import (
	"errors"
	"os"
	"syscall"
)

// openRegular opens a file. What lies there and is none is corrupt; a pipe
// would make us wait for ever.
func openRegular(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, how|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, notFile(path, err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, notFile(path, syscall.EISDIR))
	}
	return f, nil
}

// notFile says what it is when something else lies where a file of the store
// should be.
func notFile(path string, err error) error {
	if st, e := os.Stat(path); e == nil && !st.Mode().IsRegular() {
		return &CorruptError{Path: path, Reason: "not a file"}
	}
	return err
}
