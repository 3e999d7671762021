package change

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// linkCount returns the number of names of the open file.
func (c *Change) linkCount() int {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(c.Opened.Fd()), &info) != nil {
		return 1
	}
	return int(info.NumberOfLinks)
}

// temporaryMode is the mode of a temporary file: read-only if old is.
func temporaryMode(old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }

// belong does nothing. The folder decides the owner.
func (p *pending) belong(fs.FileInfo) error { return nil }

// release closes the file before its name is given away: only NTFS lets go of the name of an open
// file. The locks of [paths.TryLock] do nothing here, so none is lost.
func release(c *Change) { c.Opened.Close() }
