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

// pending is a temporary file that becomes the file of a name.
type pending struct {
	*renameio.PendingFile
	dir  *os.Root
	name string      // the final name
	mode fs.FileMode // mode to restore after each write, or 0
}

// renameio names a temporary file with a dot, a prefix and a number. The prefix is
// the final name and tempMark, which identifies the files of killed processes. If
// the final name is too long for that, the prefix is tempMark alone.
const (
	tempMark = ".techo-"
	longName = 255 - len("."+tempMark+"-9223372036854775808")
)

// newPending creates a temporary file beside its final name, with the mode and
// owner of old. Without old, it gets the defaults of a new file.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	mode := renameio.WithPermissions(0o666)
	if old != nil {
		mode = renameio.WithStaticPermissions(0o600) // until the owner is set
	}
	prefix := name + tempMark
	if len(name) > longName {
		prefix = strings.TrimPrefix(tempMark, ".")
	}
	removeStale(dir, "."+prefix)
	p := &pending{dir: dir, name: name}
	var err error
	if p.PendingFile, err = renameio.NewPendingFile(prefix, renameio.WithRoot(dir), mode); err != nil {
		return nil, err
	}
	_, _ = tryLock(p.File) // marks the file as in use for removeStale; without locks, its age has to suffice
	if old != nil {
		if err := p.belong(old); err != nil {
			p.drop()
			return nil, err
		}
	}
	return p, nil
}

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

// Write appends to the file and restores set-uid, which the system clears on a
// write without root rights.
func (p *pending) Write(b []byte) (int, error) {
	n, err := p.PendingFile.Write(b)
	if err == nil && p.mode != 0 {
		err = p.Chmod(p.mode)
	}
	return n, err
}

// attributes returns the file for copyAttributes.
func (p *pending) attributes() *os.File { return p.File }

// replace makes the file durable and renames it to its name, replacing an existing
// file.
func (p *pending) replace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	if err := p.File.Close(); err != nil { // others may lock it by its name from now on
		return err
	}
	return p.dir.Rename(p.temporary(), p.name)
}

// create links the durable file to its name. It fails if the name is taken.
func (p *pending) create(name string) error {
	if err := p.dir.Link(p.temporary(), name); err != nil {
		return err
	}
	return p.Cleanup()
}

// removeStale looks at namesLooked entries of a folder, for temporary files older
// than staleAge. No writer takes that long, and a suspended one holds its lock.
const (
	namesLooked = 3000
	staleAge    = 10 * time.Minute
)

// removeStale removes the temporary files of killed processes: begin followed by a
// number.
func removeStale(dir *os.Root, begin string) {
	d, err := dir.Open(".")
	if err != nil {
		return // the write itself will report the error
	}
	defer d.Close()
	names, _ := d.Readdirnames(namesLooked)
	for _, name := range names {
		number, ok := strings.CutPrefix(name, begin)
		if !ok || number == "" || strings.Trim(number, "-0123456789") != "" {
			continue
		}
		if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() ||
			time.Since(info.ModTime()) < staleAge {
			continue
		}
		if f, err := dir.OpenFile(name, os.O_RDONLY|nonBlocking, 0); err == nil {
			if free, _ := tryLock(f); free {
				_ = dir.Remove(name)
			}
			f.Close()
		}
	}
}

func (p *pending) temporary() string { return filepath.Base(p.Name()) }

// drop closes the file, and removes it unless it has its final name. It ignores
// errors, because the caller already has one to report.
func (p *pending) drop() { _ = p.Cleanup() }
