//go:build unix

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// pending is a file that was written and has no name of its own yet.
type pending struct {
	*renameio.PendingFile
	dir  *os.Root
	name string      // that it is for
	mode fs.FileMode // to have again after each writing, or 0
}

// The library's temporary name is a dot, what it is told, and a number. What it
// is told ends in a mark, so that what a process left that was killed is known
// from the files of others; a name that is too long for that is left out.
const (
	tempMark = ".techo-"
	longName = 255 - len("."+tempMark+"-9223372036854775808")
)

// newPending makes one beside the name that it is for. It gets the mode and
// the owner of old; without old, those of a new file.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	mode := renameio.WithPermissions(0o666)
	if old != nil {
		mode = renameio.WithStaticPermissions(0o600) // until the owner is right
	}
	told := name + tempMark
	if len(name) > longName {
		told = strings.TrimPrefix(tempMark, ".")
	}
	removeStale(dir, "."+told)
	p := &pending{dir: dir, name: name}
	var err error
	if p.PendingFile, err = renameio.NewPendingFile(told, renameio.WithRoot(dir), mode); err != nil {
		return nil, err
	}
	_, _ = tryLock(p.File) // for removeStale; where there are no locks its age must do
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
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.File.Close(); err != nil { // others may lock it by its name then
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

// What was left is looked for among so many names of a folder, and must be so
// old: no writer takes that long, and one that was stopped holds its lock.
const (
	namesLooked = 3000
	staleAge    = 10 * time.Minute
)

// removeStale takes away what writers left in a folder who were killed: files
// whose names begin so and go on with a number.
func removeStale(dir *os.Root, begin string) {
	d, err := dir.Open(".")
	if err != nil {
		return // what follows will say so
	}
	defer d.Close()
	names, _ := d.Readdirnames(namesLooked)
	for _, name := range names {
		number, ok := strings.CutPrefix(name, begin)
		if !ok || number == "" || strings.Trim(number, "-0123456789") != "" {
			continue
		}
		if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < staleAge {
			continue
		}
		if f, err := dir.OpenFile(name, os.O_RDONLY|noWait, 0); err == nil {
			if free, _ := tryLock(f); free {
				_ = dir.Remove(name)
			}
			f.Close()
		}
	}
}

func (p *pending) temporary() string { return filepath.Base(p.Name()) }

// drop closes the file, and takes it away if it has no name yet. That it could
// not be is of no use to anybody who has another error to tell.
func (p *pending) drop() { _ = p.Cleanup() }
