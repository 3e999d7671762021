package patch

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// # Confinement of patches
//
// A patch is text from elsewhere, which the caller may not have read. So it changes files in the roots or, without
// any, in the working folder, which is then its only root. An absolute path needs roots, as git and patch refuse it.

// confinePatch returns the environment in which a patch is applied. close ends it.
func confinePatch(env *tools.Env) (confined *tools.Env, close func(), err error) {
	if roots, err := tools.Roots(env); err != nil || len(roots) > 0 {
		return env, func() {}, err
	}
	p, err := paths.Locate(env, ".")
	if err != nil {
		return nil, nil, err
	}
	root, err := p.OpenRoot()
	if err != nil {
		return nil, nil, paths.Error(env, ".", err)
	}
	own := *env
	own.Roots = func() ([]*os.Root, error) { return []*os.Root{root}, nil }
	return &own, func() { root.Close() }, nil
}

// forbiddenPatch refuses a patch with a path outside of where it may reach, even if the input is invalid otherwise.
func forbiddenPatch(env *tools.Env, input []byte) *tools.Error {
	text, _ := fieldOf(input, "patch")
	encoding, _ := fieldOf(input, "encoding")
	confined, close, err := confinePatch(env)
	if err != nil {
		return nil // the patch fails for this reason, if it is valid
	}
	defer close()
	r, _ := readPatch(env, In{Patch: text, Encoding: document.Encoding(encoding)}.text(env), false)
	return r.outside(confined)
}

// outside returns the error of the first path of a patch that leads out of the confined environment, or nil.
func (r *patchReader) outside(confined *tools.Env) *tools.Error {
	env := r.env
	for _, path := range r.paths {
		if path == "" { // of a file that is created or removed
			continue
		}
		free := env != confined
		var e *tools.Error
		if !free || !isAbsolute(paths.Plain(path)) { // a share of Windows is not even looked at
			if e = paths.ForbiddenPlace(confined, paths.Show(literal(path)), r.links[path]); e == nil || isLoop(confined, path) {
				continue
			}
		}
		if free {
			e = env.Fail(tools.Forbidden, "%s is outside of the working folder", paths.Show(paths.Plain(path))).
				WithHint(env.Hint("Use relative paths in the working folder, or allow another folder with %s",
					tools.Flag("root", tools.Placeholder("DIR"))))
		}
		return e
	}
	return nil
}

// isLoop reports whether a path names a link that leads to itself. Nothing can follow it, but a patch may move it.
func isLoop(env *tools.Env, path string) bool {
	p, err := paths.LocateEntry(env, paths.Show(literal(path)))
	if err != nil {
		return false
	}
	_, err = os.Stat(p.Full())
	return errors.Is(err, syscall.ELOOP)
}

// isAbsolute reports whether a path is absolute on any system, or names a drive of Windows: a patch may come from
// another system.
func isAbsolute(path string) bool {
	drive := len(path) > 1 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
	return drive || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) || filepath.IsAbs(path)
}

// fieldOf returns a field of an input that is a text, also of an invalid input.
func fieldOf(input []byte, name string) (text string, ok bool) {
	var in map[string]any
	_ = json.Unmarshal(input, &in)
	text, ok = in[name].(string)
	return text, ok
}
