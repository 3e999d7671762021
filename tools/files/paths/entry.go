package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/internal/regular"
	"techo/tools"
)

// OpenEntry opens the folder of a file, a folder or a link itself. Links on the way are resolved and
// must stay in the roots; the last element is not followed. Info is nil if the name is free.
func OpenEntry(env *tools.Env, path string) (*File, error) {
	p, err := LocateEntry(env, path)
	if err != nil {
		return nil, err
	}
	if p.IsStoreFile(env) {
		return nil, BelongsToStore(env, path)
	}
	e := &File{Place: p}
	if e.Dir, e.Name, err = p.Parent(); err != nil {
		return nil, Error(env, path, err)
	}
	e.Info, err = e.Dir.Lstat(e.Name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && p.Slash && e.Info != nil && !e.Info.IsDir() {
		err = namesFolder(env, p)
	}
	if err != nil {
		e.Dir.Close()
		return nil, Error(env, path, err)
	}
	return e, nil
}

// LocateEntry returns the place of a file, a folder or a link itself: only links on the way are followed.
func LocateEntry(env *tools.Env, path string) (p Place, err error) {
	clean := filepath.Clean(Plain(path))
	folder, name := filepath.Split(clean)
	if name == "" || name == "." || name == ".." {
		return p, tools.InvalidField(env, "/path", "must name a file or a folder in another folder, not %q", path)
	}
	if err := checkName(env, clean); err != nil {
		return p, err
	}
	if folder == "" {
		folder = "."
	}
	p, err = Locate(env, folder)
	if err != nil {
		if e := new(tools.Error); errors.As(err, &e) && e.Code == tools.Forbidden {
			return p, tools.Outside(env, path)
		}
		return p, err
	}
	given := Plain(path)
	if p.Path = filepath.Join(p.Path, name); p.Normalized {
		p.Shown = Show(filepath.Join(Plain(p.Shown), name))
	} else {
		p.Shown = Show(given)
	}
	p.Slash = os.IsPathSeparator(given[len(given)-1])
	p.inOtherForm()
	return p, nil
}

// HoldsStore reports whether the store is in the folder of the entry, or is it.
func (e *File) HoldsStore(env *tools.Env) bool {
	if env.Where == nil {
		return false
	}
	where, err := env.Where()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(where); err == nil {
		where = real
	}
	inside, err := filepath.Rel(e.Full(), where)
	return err == nil && filepath.IsLocal(inside)
}

// Version identifies the content of the entry for undo: the hash of a file, or the
// kind of anything else.
func (e *File) Version() (string, error) {
	switch {
	case e.Info.IsDir():
		return "folder", nil
	case !e.Info.Mode().IsRegular() || e.Info.Size() > MaxFile:
		return "entry", nil
	}
	f, err := e.Dir.OpenFile(e.Name, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return "", err
	}
	b, err := (&File{Place: e.Place, Opened: f, Info: e.Info}).Read(nil)
	f.Close()
	return Hash(b), err
}
