package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"techo/internal/confine"
	"techo/store"
	"techo/tools"
	"techo/tools/files/hostfiles"
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
		return p, invalidField(env, "/path", "must not contain NUL")
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
			if !ok || path == "" || path == "-" && hostfiles.Of(env).Stdin != nil {
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

// fieldOf returns a field of an input that is a text, also of an invalid input.
func fieldOf(input []byte, name string) (text string, ok bool) {
	var in map[string]any
	_ = json.Unmarshal(input, &in)
	text, ok = in[name].(string)
	return text, ok
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
	if p.root == nil {
		dir, err = confine.OpenRoot(folder)
	} else {
		dir, err = p.root.OpenRoot(filepath.Join(".", folder))
	}
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

// belongsToStore refuses to change a file of the store. Overwriting it would
// destroy data.
func belongsToStore(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Forbidden, "%s belongs to techo's store, which only techo's own commands may change", path).
		WithHint(env.Hint("Use the commands for memos, memories and events; techo store backup makes a copy"))
}

// outsideRoots refuses a path outside of the roots.
func outsideRoots(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Forbidden, "%s is outside of the allowed folders", path).
		WithHint(env.Hint("Use a path in the allowed folders, or allow another one with --root DIR"))
}

// invalidField refuses one field of an input.
func invalidField(env *tools.Env, field string, message tools.Text, args ...any) *tools.Error {
	d := tools.Detail{Path: field, Message: env.Localize(message, args...)}
	return invalidInput(env, []tools.Detail{d})
}

// offers reports whether the caller has a tool. A shell has all.
func offers(env *tools.Env, name string) bool {
	return env.Naming == nil || slices.ContainsFunc(env.Tools, func(t *tools.Tool) bool {
		return t.Name == name && (t.When == nil || t.When(env) == nil)
	})
}

// lookForIt returns the hint for a missing path.
func lookForIt(env *tools.Env) string {
	if offers(env, "glob") {
		return env.Hint("Look for it with techo fs glob")
	}
	return env.Hint("Check the path; a relative one begins in the working folder")
}

// pathError converts a system error about a path to a tools.Error. It returns
// unknown errors unchanged.
func pathError(env *tools.Env, path string, err error) error {
	switch {
	case err == nil, errors.As(err, new(*tools.Error)):
		return err
	case escapes(err):
		return outsideRoots(env, path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return env.Fail(tools.NotFound, "File not found: %s", path).
			WithHint(lookForIt(env))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, "No permission for %s: %v", path, cause(err))
	case errors.Is(err, syscall.ETXTBSY):
		return env.Fail(tools.Conflict, "%s is a running program", path)
	case errors.Is(err, syscall.EROFS):
		return env.Fail(tools.Forbidden, "%s is on a read-only file system", path)
	case isFull(err):
		return env.Fail(tools.NoSpace, "The disk is full; %s was not changed", path).
			WithHint(env.Hint("Free some space and run it again"))
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG),
		strings.Contains(err.Error(), "too many links"):
		return invalidField(env, "/path", "cannot be resolved: %v", cause(err))
	}
	return err
}

// escapes reports whether an os.Root refused a path that leads out of it. Package
// os does not export that error.
func escapes(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}

// cause returns the system error without its path, which may differ from the
// caller's.
func cause(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	return err
}
