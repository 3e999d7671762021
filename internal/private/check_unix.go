//go:build unix

package private

import (
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// Modes reports whether the mode of a file shows the users who may use it.
const Modes = true

// CheckSecret fails if a file or a folder belongs to another user, or if other
// users may read it or write to it.
func CheckSecret(path string, st fs.FileInfo) error {
	if err := check(path, st); err != nil {
		return err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return &Error{Path: path, Reason: Readable, Folder: st.IsDir()}
	}
	return nil
}

// user is the user of this process, who does not change.
var user = sync.OnceValue(os.Geteuid)

// CheckOwner fails if an entry belongs to another user.
func CheckOwner(path string, st fs.FileInfo) error {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok && int(sys.Uid) != user() {
		return &Error{Path: path, Reason: Owner, Folder: st.IsDir()}
	}
	return nil
}

// check fails if an entry belongs to another user, or if other users may write
// to it.
func check(path string, st fs.FileInfo) error {
	if err := CheckOwner(path, st); err != nil {
		return err
	}
	if st.Mode().Perm()&0o022 != 0 {
		return &Error{Path: path, Reason: Writable, Folder: st.IsDir()}
	}
	return nil
}
