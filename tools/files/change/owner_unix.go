//go:build unix

package change

import (
	"io/fs"
	"syscall"
)

// linkCount returns the number of names of the open file.
func (c *Change) linkCount() int {
	if st, ok := c.Info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// temporaryMode is the mode of a temporary file until its owner is set.
func temporaryMode(fs.FileInfo) fs.FileMode { return 0o600 }

// belong sets the owner and the mode of old.
func (p *pending) belong(old fs.FileInfo) error {
	mine, err := p.Stat()
	if err != nil {
		return err
	}
	was, is := old.Sys().(*syscall.Stat_t), mine.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if err := p.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	if old.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		p.mode = old.Mode()
	}
	return p.Chmod(old.Mode()) // last, because changing the owner clears set-uid
}

// release keeps the file open, and so locked, while its name is given away.
func release(*Change) {}
