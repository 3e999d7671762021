package folder

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"techo/internal/private"
	"techo/store/kv/disk"
)

// powerDisk is a disk that fails at random, and whose power can fail. All changes
// to one store go through it to the real file system, so that the engine sees what
// the page cache would have. Beside that it keeps what the disk holds for certain,
// and the changes that no sync has made durable yet.
//
// The model is strict: only a sync of a file makes its bytes durable, and only a
// sync of its folder its name. Without them each change may be lost or kept by
// itself, bytes in sectors of 512.
type powerDisk struct {
	disk.SystemDisk
	root string // the store's folder
	r    *rand.Rand

	names   map[string]*inode // durable names, relative to root
	now     map[string]*inode
	renames []nameChange // not durable yet

	lies   func(path string) bool // syncs of these paths do nothing
	fails  bool                   // operations may fail
	often  int                    // one in how many of them does
	failed int                    // operations that failed
	before func()                 // runs before each change
}

// nameChange is the creation, the removal or the renaming of a file.
type nameChange struct {
	folder string
	gone   string // "" for a creation
	name   string // "" for a removal
	file   *inode
}

// onPowerDisk puts a store on a powerDisk for the rest of the test.
func onPowerDisk(t *testing.T, root string, r *rand.Rand) *powerDisk {
	t.Helper()
	d := &powerDisk{
		root: root, r: r, names: map[string]*inode{}, now: map[string]*inode{},
		lies: func(string) bool { return false }, before: func() {}, often: 12,
	}
	real := disk.Current
	disk.Current = d
	t.Cleanup(func() { disk.Current = real })
	return d
}

// within returns the path relative to the store, or false for other files.
func (d *powerDisk) within(path string) (string, bool) {
	rel, err := filepath.Rel(d.root, path)
	return rel, err == nil && !strings.HasPrefix(rel, "..")
}

var errBroken = &os.PathError{Op: "disk", Path: "broken", Err: syscall.EIO}

// step begins a change. It returns an error when the change is to fail.
func (d *powerDisk) step() error {
	d.before()
	if !d.fails || d.r.IntN(d.often) > 0 {
		return nil
	}
	d.failed++
	if d.r.IntN(2) == 0 {
		return &os.PathError{Op: "disk", Path: "full", Err: syscall.ENOSPC}
	}
	return errBroken
}

// short returns the part of b that a write at an offset writes when it fails. A
// sector is written as a whole.
func (d *powerDisk) short(b []byte, at int64) []byte {
	n := d.r.IntN(len(b) + 1)
	if n < len(b) {
		n = max(int((at+int64(n))/sector*sector-at), 0)
	}
	return b[:n]
}

// change records a change of names, which is not durable yet.
func (d *powerDisk) change(c nameChange) {
	d.renames = append(d.renames, c)
	c.apply(d.now)
}

func (c nameChange) apply(names map[string]*inode) {
	if c.gone != "" {
		delete(names, c.gone)
	}
	if c.name != "" {
		names[c.name] = c.file
	}
}

func (d *powerDisk) Open(how int, dir string, names ...string) (disk.File, error) {
	path, ok := d.within(filepath.Join(append([]string{dir}, names...)...))
	if !ok {
		f, err := d.SystemDisk.Open(how, dir, names...)
		return unsynced{f}, err
	}
	i := d.now[path]
	if i == nil && how&os.O_CREATE != 0 {
		if err := d.step(); err != nil {
			return nil, err
		}
	}
	f, err := d.SystemDisk.Open(how, dir, names...)
	if err != nil {
		return nil, err
	}
	if i == nil {
		i = &inode{}
		d.change(nameChange{folder: filepath.Dir(path), name: path, file: i})
	}
	p := &powerFile{File: f, disk: d, path: path, inode: i, appends: how&os.O_APPEND != 0}
	if how&os.O_TRUNC != 0 {
		i.pending = append(i.pending, bytesChange{})
	}
	return p, nil
}

func (d *powerDisk) MakeFolder(in *private.Folder, name string) (*private.Folder, error) {
	path, ok := d.within(filepath.Join(in.Path(), name))
	if !ok {
		return d.SystemDisk.MakeFolder(in, name)
	}
	if err := d.step(); err != nil {
		return nil, err
	}
	made, err := d.SystemDisk.MakeFolder(in, name)
	if err == nil {
		d.change(nameChange{folder: filepath.Dir(path), name: path, file: &inode{folder: true}})
	}
	return made, err
}

func (d *powerDisk) Remove(in *private.Folder, name string) error {
	path, ok := d.within(filepath.Join(in.Path(), name))
	if !ok {
		return d.SystemDisk.Remove(in, name)
	}
	if err := d.step(); err != nil {
		return err
	}
	err := d.SystemDisk.Remove(in, name)
	if err == nil {
		d.change(nameChange{folder: filepath.Dir(path), gone: path})
	}
	return err
}

func (d *powerDisk) SyncFolder(path string) error {
	path, ok := d.within(path)
	folder := filepath.Dir(path)
	if !ok || strings.HasPrefix(folder, "..") || path == "." {
		return nil // the folder around the store is taken for durable
	}
	err := d.step()
	if d.lies(folder) {
		return err
	}
	var left []nameChange
	for _, c := range d.renames {
		if c.folder == folder && (err == nil || d.r.IntN(2) == 0) {
			c.apply(d.names)
		} else {
			left = append(left, c)
		}
	}
	d.renames = left
	return err
}

func (d *powerDisk) CreateTemp(in *private.Folder, name string) (disk.TempFile, error) {
	path, ok := d.within(filepath.Join(in.Path(), name))
	if !ok {
		return d.SystemDisk.CreateTemp(in, name)
	}
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.SystemDisk.CreateTemp(in, name)
	if err != nil {
		return nil, err
	}
	p := &powerTemp{TempFile: f, disk: d, path: path, inode: &inode{}}
	p.temp = filepath.Join(filepath.Dir(path), "."+name+".techo-1")
	d.change(nameChange{folder: filepath.Dir(path), name: p.temp, file: p.inode})
	return p, nil
}

type powerFile struct {
	disk.File
	disk    *powerDisk
	path    string
	inode   *inode
	appends bool
	at      int64 // of the next Write
}

func (f *powerFile) WriteAt(b []byte, at int64) (n int, err error) {
	err = f.disk.step()
	if err != nil {
		b = f.disk.short(b, at)
	}
	n, e := f.File.WriteAt(b, at)
	f.inode.write(at, b[:n])
	return n, errors.Join(err, e)
}

func (f *powerFile) Write(b []byte) (n int, err error) {
	if f.appends {
		st, err := f.Stat()
		if err != nil {
			return 0, err
		}
		f.at = st.Size()
	}
	if err = f.disk.step(); err != nil {
		b = f.disk.short(b, f.at)
	}
	n, e := f.File.Write(b)
	f.inode.write(f.at, b[:n])
	f.at += int64(n)
	return n, errors.Join(err, e)
}

func (f *powerFile) Truncate(size int64) error {
	if err := f.disk.step(); err != nil {
		return err
	}
	f.inode.pending = append(f.inode.pending, bytesChange{at: size})
	return f.File.Truncate(size)
}

func (f *powerFile) Sync() error { return f.disk.sync(f.path, f.inode) }

// sync makes the bytes of a file durable. After a failure the system takes them
// for written, whether they are or not.
func (d *powerDisk) sync(path string, i *inode) error {
	err := d.step()
	switch {
	case d.lies(path):
		return err
	case err != nil:
		i.durable = i.some(d.r)
	default:
		i.durable = i.content()
	}
	i.pending = nil
	return err
}

// unsynced is a file of another store. Its syncs would only take time.
type unsynced struct{ disk.File }

func (unsynced) Sync() error { return nil }

// powerTemp is a temporary file of a powerDisk.
type powerTemp struct {
	disk.TempFile
	disk       *powerDisk
	path, temp string
	inode      *inode
	placed     bool
}

func (f *powerTemp) Write(b []byte) (int, error) {
	err, at := f.disk.step(), int64(len(f.inode.content()))
	if err != nil {
		b = f.disk.short(b, at)
	}
	n, e := f.TempFile.Write(b)
	f.inode.write(at, b[:n])
	return n, errors.Join(err, e)
}

func (f *powerTemp) Sync() error { return f.disk.sync(f.path, f.inode) }

func (f *powerTemp) Replace() error {
	if err := f.disk.step(); err != nil {
		return err
	}
	err := f.TempFile.Replace()
	if err == nil {
		f.disk.change(nameChange{folder: filepath.Dir(f.path), gone: f.temp, name: f.path, file: f.inode})
		f.placed = true
	}
	return err
}

func (f *powerTemp) Discard() {
	f.TempFile.Discard()
	if !f.placed {
		f.disk.change(nameChange{folder: filepath.Dir(f.path), gone: f.temp})
	}
}

// cut writes what a power failure at this moment may leave of the store into a
// folder.
func (d *powerDisk) cut(t *testing.T, to string) {
	t.Helper()
	names := map[string]*inode{}
	for name, i := range d.names {
		names[name] = i
	}
	last, some := d.r.IntN(len(d.renames)+1), d.r.IntN(2) == 0
	for n, c := range d.renames { // in order up to a moment, or each by itself
		if some && d.r.IntN(2) == 0 || !some && n < last {
			c.apply(names)
		}
	}
	content := map[*inode][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) { // in the same order for each seed
		i := names[name]
		if parent := filepath.Dir(name); i.folder || parent != "." && names[parent] == nil {
			continue
		}
		if content[i] == nil {
			content[i] = i.some(d.r)
		}
		writeFile(t, filepath.Join(to, name), string(content[i]))
	}
	if names[disk.TablesName] != nil {
		if err := os.MkdirAll(filepath.Join(to, disk.TablesName), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}
