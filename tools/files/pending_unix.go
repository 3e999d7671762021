//go:build unix

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// pending is a file that was written and has no name of its own yet.
type pending struct {
	*renameio.PendingFile
	dir  *os.Root
	name string      // that it is for, when the library was told another; else ""
	mode fs.FileMode // to have again after each writing, or 0
}

// longName is the length of a name, in bytes, from which on the library's
// temporary one, with a dot and digits around it, may be too long.
const longName = 255 - len(".-9223372036854775808")

// newPending makes one beside the name that it is for. It gets the mode and
// the owner of old; without old, those of a new file.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	mode := renameio.WithPermissions(0o666)
	if old != nil {
		mode = renameio.WithStaticPermissions(0o600) // until the owner is right
	}
	p := &pending{dir: dir}
	if len(name) > longName {
		p.name, name = name, "techo"
	}
	var err error
	if p.PendingFile, err = renameio.NewPendingFile(name, renameio.WithRoot(dir), mode); err != nil {
		return nil, err
	}
	if old != nil {
		if err := p.belong(old); err != nil {
			p.drop()
			return nil, err
		}
	}
	return p, nil
}

// belong gives the file the owner and the mode of another.
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
	return p.Chmod(old.Mode()) // last: to change the owner takes set-uid away
}

// Write appends to the file. The system takes set-uid from a file that is
// written to, unless root writes.
func (p *pending) Write(b []byte) (int, error) {
	n, err := p.PendingFile.Write(b)
	if err == nil && p.mode != 0 {
		err = p.Chmod(p.mode)
	}
	return n, err
}

// attributes is the file for copyAttributes.
func (p *pending) attributes() *os.File { return p.File }

// replace makes the file durable and gives it its name, which another file may
// have had.
func (p *pending) replace() error {
	if p.name == "" {
		return p.CloseAtomicallyReplace()
	}
	if err := p.Sync(); err != nil {
		return err
	}
	return p.dir.Rename(p.temporary(), p.name)
}

// create gives the file, which is durable, its name, unless there is one.
func (p *pending) create(name string) error {
	if err := p.dir.Link(p.temporary(), name); err != nil {
		return err
	}
	return p.Cleanup()
}

func (p *pending) temporary() string { return filepath.Base(p.Name()) }

// drop closes the file, and takes it away if it has no name yet. That it could
// not be is of no use to anybody who has another error to tell.
func (p *pending) drop() { _ = p.Cleanup() }
