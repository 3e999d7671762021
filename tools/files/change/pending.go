package change

import (
	"io/fs"
	"os"
	"time"

	"techo/internal/atomicfile"
	"techo/tools/files/paths"
)

// pending is a temporary file that becomes the file of a name.
type pending struct {
	*atomicfile.File
	mode fs.FileMode // mode to restore after each write, or 0
}

// newPending creates a temporary file beside its final name, with the mode and
// owner of old. Without old, it gets the defaults of a new file.
func newPending(dir *os.Root, name string, old fs.FileInfo) (*pending, error) {
	removeStale(dir, name)
	o := atomicfile.Options{Mode: 0o666}
	if old != nil {
		o.Mode = temporaryMode(old)
	}
	f, err := atomicfile.Create(dir, name, o)
	if err != nil {
		return nil, err
	}
	_, _ = paths.TryLock(f.File) // marks the file as in use for removeStale; without locks, its age has to suffice
	p := &pending{File: f}
	if old == nil {
		return p, nil
	}
	if err := p.belong(old); err != nil {
		p.Discard()
		return nil, err
	}
	return p, nil
}

// Write appends to the file and restores set-uid, which the system clears on a
// write without root rights.
func (p *pending) Write(b []byte) (int, error) {
	n, err := p.File.Write(b)
	if err == nil && p.mode != 0 {
		err = p.Chmod(p.mode)
	}
	return n, err
}

// replace makes the file durable and renames it to its name, replacing an existing
// file.
func (p *pending) replace() error {
	if err := p.Sync(); err != nil {
		return err
	}
	return p.Replace()
}

// staleAge is the age at which a temporary file without a lock is abandoned: no
// writer takes that long, and a suspended one holds its lock.
const staleAge = 10 * time.Minute

// removeStale removes the temporary files that killed writers of a file left.
func removeStale(dir *os.Root, name string) {
	atomicfile.SweepFunc(dir, atomicfile.TempPrefix(name), staleAge, func(temp string) bool {
		f, err := dir.OpenFile(temp, os.O_RDONLY|paths.NonBlocking, 0)
		if err != nil {
			return false
		}
		defer f.Close()
		free, _ := paths.TryLock(f)
		return free
	})
}
