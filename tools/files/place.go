package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"techo/internal/confine"
	"techo/store"
	"techo/tools"
)

// # Confinement
//
// Each path from a caller becomes a place first: a root folder and a path in it.
// locate resolves the links of the path, so a link into a root is allowed, and it
// refuses every path outside of the roots in the same way, whether a file exists
// there or not.
//
// That check alone would be a race, because another process may create a link
// afterwards. Therefore all further operations go through the os.Root, which never
// leaves its folder.
//
// Without configured roots, a place has no root and an absolute path.

// place is the location of a path.
type place struct {
	root  *os.Root // nil without confinement
	path  string   // relative to root ("." for the root itself), or absolute without root; free of links
	shown string   // as the caller wrote it, for output
}

// locate returns the place of a path, which need not exist. It fails with
// FORBIDDEN for a path outside of the roots.
func locate(env *tools.Env, path string) (place, error) {
	path = plainPath(path)
	p := place{shown: showPath(path)}
	if strings.ContainsRune(path, 0) {
		return p, tools.InvalidField(env, "/path", "must not contain NUL")
	}
	full := path
	if !filepath.IsAbs(full) {
		// not filepath.Join: confine.Follow must resolve ".." behind links
		full = env.Dir + string(filepath.Separator) + path
	}
	var roots []*os.Root
	if env.Roots != nil {
		var err error
		if roots, err = env.Roots(); err != nil {
			return p, pathError(env, p.shown, err)
		}
	}
	real, err := confine.Follow(full)
	if len(roots) == 0 {
		p.path = real
		if err != nil {
			return p, pathError(env, p.shown, err)
		}
		return p, nil
	}
	if err == nil {
		p.root, p.path = confine.Find(roots, real)
	}
	if p.root == nil {
		return p, outsideRoots(env, p.shown)
	}
	return p, nil
}

// forbiddenPath refuses an input with a path outside of the roots, even if the
// input is invalid otherwise. It is the Forbidden hook of the tools.
func forbiddenPath(env *tools.Env, input []byte) *tools.Error {
	type named struct {
		Path any `json:"path"`
		From any `json:"from"`
		To   any `json:"to"`
	}
	var in struct {
		named
		Batch []named `json:"batch"`
	}
	_ = json.Unmarshal(input, &in) // validation reports other problems
	for _, n := range append(in.Batch, in.named) {
		for _, field := range []any{n.Path, n.From, n.To} {
			path, ok := field.(string)
			if !ok || path == "" || path == "-" && env.Stdin != nil {
				continue
			}
			if e := forbiddenPlace(env, path); e != nil {
				return e
			}
		}
	}
	return nil
}

// forbiddenPlace returns the error of a path outside of the roots, or nil.
func forbiddenPlace(env *tools.Env, path string) *tools.Error {
	_, err := locate(env, path)
	if e := new(tools.Error); errors.As(err, &e) && e.Code == tools.Forbidden {
		return e
	}
	return nil
}

// full returns the absolute path of the place.
func (p place) full() string {
	if p.root == nil {
		return p.path
	}
	return filepath.Join(p.root.Name(), p.path)
}

// open opens the folder or file for reading.
func (p place) open() (*os.File, error) {
	if p.root == nil {
		f, err := os.OpenFile(p.path, os.O_RDONLY|nonBlocking, 0)
		if !errors.Is(err, syscall.ENAMETOOLONG) {
			return f, err
		}
		dir, name, err := p.parent()
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		return dir.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	}
	return p.root.OpenFile(p.path, os.O_RDONLY|nonBlocking, 0)
}

// parent opens the folder that contains the place, and returns the name in it.
// Operations in the open folder stay there, confined or not.
func (p place) parent() (dir *os.Root, name string, err error) {
	folder, name := filepath.Split(p.path)
	if p.root != nil {
		folder = filepath.Join(".", folder)
	}
	dir, err = place{root: p.root, path: folder}.openRoot()
	return dir, name, notFolder(folder, err)
}

// notFolder converts the message of package os for a root that is not a folder
// into ENOTDIR.
func notFolder(folder string, err error) error {
	if err != nil && strings.HasSuffix(err.Error(), "not a directory") {
		return &fs.PathError{Op: "open", Path: folder, Err: syscall.ENOTDIR}
	}
	return err
}

// isStoreFile reports whether the place is a file of techo's store. Other files in
// the store's folder do not count.
func (p place) isStoreFile(env *tools.Env) bool {
	if env.Where == nil {
		return false
	}
	where, err := env.Where()
	if err == nil {
		where, err = filepath.EvalSymlinks(where)
	}
	if err != nil {
		return false // no store yet, or not a folder
	}
	inside, err := filepath.Rel(where, p.full())
	name, _, _ := strings.Cut(inside, string(filepath.Separator))
	return err == nil && filepath.IsLocal(inside) && store.IsStoreFile(name)
}

// openRoot opens the folder as a root.
func (p place) openRoot() (*os.Root, error) {
	if p.root == nil {
		return confine.OpenRoot(p.path)
	}
	return p.root.OpenRoot(p.path)
}

// lstat describes the entry at a path that is relative to the place's root or absolute. It does not
// follow a link.
func (p place) lstat(path string) (fs.FileInfo, error) {
	if p.root == nil {
		return os.Lstat(path)
	}
	return p.root.Lstat(path)
}

// exists is lstat for the question whether something is there.
func (p place) exists(path string) bool {
	_, err := p.lstat(path)
	return err == nil
}

// workingFolder returns the working folder without links.
func workingFolder(env *tools.Env) string {
	if real, err := filepath.EvalSymlinks(env.Dir); err == nil {
		return real
	}
	return env.Dir
}

// relativePath returns a path relative to the working folder if the path is in it.
func relativePath(env *tools.Env, path string) string {
	if short, err := filepath.Rel(workingFolder(env), plainPath(path)); err == nil && filepath.IsLocal(short) {
		return showPath(short)
	}
	return path
}
