package files

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
)

// pending is a file that was written and has no name of its own yet. The
// library for that leaves this system out.
type pending struct {
	*os.File
	dir       *os.Root
	tmp, name string
}

// newPending makes one beside the name that it is for, with the attribute
// read-only or without, as old has it.
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

// attributes is the file for copyAttributes.
func (p *pending) attributes() *os.File { return p.File }

// replace makes the file durable and gives it its name, which another file may
// have had.
func (p *pending) replace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return err
	}
	return p.dir.Rename(p.tmp, p.name)
}

// create gives the file, which is durable, its name, unless there is one.
func (p *pending) create(name string) error {
	if err := p.Close(); err != nil {
		return err
	}
	if err := p.dir.Link(p.tmp, name); err != nil {
		return err
	}
	return p.dir.Remove(p.tmp)
}

// drop closes the file, and takes it away if it has no name yet.
func (p *pending) drop() {
	_ = p.Close()
	_ = p.dir.Remove(p.tmp)
}
