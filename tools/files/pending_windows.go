package files

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
)

// pending is a temporary file that becomes the file of a name. renameio does not
// support Windows.
type pending struct {
	*os.File
	dir       *os.Root
	tmp, name string
}

// newPending creates a temporary file beside its final name, read-only if old is.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	tmp := ".techo" + strconv.FormatUint(rand.Uint64(), 36)
	f, err := dir.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &pending{File: f, dir: dir, tmp: tmp, name: name}, nil
}

// attributes returns the file for copyAttributes.
func (p *pending) attributes() *os.File { return p.File }

// replace makes the file durable and renames it to its name, replacing an existing
// file.
func (p *pending) replace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	return p.dir.Rename(p.tmp, p.name)
}

// create links the durable file to its name. It fails if the name is taken.
func (p *pending) create(name string) error {
	if err := p.Close(); err != nil {
		return err
	}
	if err := p.dir.Link(p.tmp, name); err != nil {
		return err
	}
	return p.dir.Remove(p.tmp)
}

// drop closes the file, and removes it unless it has its final name.
func (p *pending) drop() {
	_ = p.Close()
	_ = p.dir.Remove(p.tmp)
}
