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
	dir     *os.Root
	tmp     string
	name    string
	renamed bool
}

// newPending makes one beside the name that it is for, with the attribute
// read-only or without, as old has it.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	tmp := "." + name + strconv.FormatUint(rand.Uint64(), 36)
	f, err := dir.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &pending{File: f, dir: dir, tmp: tmp, name: name}, nil
}

// attributes is the file for copyAttributes.
func (p *pending) attributes() *os.File { return p.File }

// replace gives the file its name, which another file may have had.
func (p *pending) replace() error {
	if err := p.Close(); err != nil {
		return err
	}
	err := p.dir.Rename(p.tmp, p.name)
	p.renamed = err == nil
	return err
}

// create gives the file its name, unless there is one.
func (p *pending) create(name string) error {
	if err := p.Close(); err != nil {
		return err
	}
	return p.dir.Link(p.tmp, name)
}

// drop takes the file away again, if it has no name yet.
func (p *pending) drop() {
	_ = p.Close()
	if !p.renamed {
		_ = p.dir.Remove(p.tmp)
	}
}
