package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/tools"
)

// entry is a name in an open folder: a file, a folder or a link itself, not what
// the link leads to.
type entry struct {
	place
	dir  *os.Root
	name string
	info fs.FileInfo // nil if the name is free
}

// openEntry opens the folder of an entry. Links on the way are resolved and must
// stay in the roots; the last element is not followed.
func openEntry(env *tools.Env, path string) (*entry, error) {
	clean := filepath.Clean(plainPath(path))
	folder, name := filepath.Split(clean)
	if name == "" || name == "." || name == ".." {
		return nil, tools.InvalidField(env, "/path", "must name a file or a folder in another folder, not %q", path)
	}
	if folder == "" {
		folder = "."
	}
	p, err := locate(env, folder)
	if err != nil {
		if e := new(tools.Error); errors.As(err, &e) && e.Code == tools.Forbidden {
			return nil, outsideRoots(env, path)
		}
		return nil, err
	}
	p.shown, p.path = showPath(plainPath(path)), filepath.Join(p.path, name)
	if p.isStoreFile(env) {
		return nil, belongsToStore(env, path)
	}
	e := &entry{place: p}
	if e.dir, e.name, err = p.parent(); err != nil {
		return nil, pathError(env, path, err)
	}
	e.info, err = e.dir.Lstat(e.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		e.dir.Close()
		return nil, pathError(env, path, err)
	}
	return e, nil
}

func (e *entry) close() {
	if e != nil && e.dir != nil {
		e.dir.Close()
	}
}

// missing returns the error for a free name, with similar names as a hint.
func (e *entry) missing(env *tools.Env) error {
	return (&file{place: e.place, dir: e.dir, name: e.name}).missing(env)
}

// holdsStore reports whether the store is in the folder of the entry, or is it.
func (e *entry) holdsStore(env *tools.Env) bool {
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
	inside, err := filepath.Rel(e.full(), where)
	return err == nil && filepath.IsLocal(inside)
}

// version identifies the content of the entry for undo: the hash of a file, or the
// kind of anything else.
func (e *entry) version() (string, error) {
	switch {
	case e.info.IsDir():
		return "folder", nil
	case !e.info.Mode().IsRegular() || e.info.Size() > maxFile:
		return "entry", nil
	}
	f, err := e.dir.OpenFile(e.name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return "", err
	}
	b, err := (&file{place: e.place, file: f, info: e.info}).read(nil)
	f.Close()
	return hashOf(b), err
}
