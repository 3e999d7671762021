package tools

import (
	"os"

	"techo/internal/confine"
)

// Roots returns the folders that the files of a call must be in, or none.
func Roots(env *Env) ([]*os.Root, error) {
	if env.Roots == nil {
		return nil, nil
	}
	return env.Roots()
}

// Confined returns the path of a file or folder that a command names. If there are roots, it
// must lie in one of them, and its links are resolved. path is absolute.
func Confined(env *Env, path string) (string, error) {
	roots, err := Roots(env)
	if err != nil || len(roots) == 0 {
		return path, err
	}
	if real, err := confine.Follow(path); err == nil {
		if root, _ := confine.Find(roots, real); root != nil {
			return real, nil
		}
	}
	return "", Outside(env, path)
}

// Outside refuses a path outside of the roots.
func Outside(env *Env, path string) *Error {
	return env.Fail(Forbidden, "%s is outside of the allowed folders", path).
		WithHint(env.Hint("Use a path in the allowed folders, or allow another one with --root DIR"))
}
