package tools

import "techo/internal/confine"

// Confined returns the path of a file or folder that a command names. If there are roots, it
// must lie in one of them, and its links are resolved. path is absolute.
func Confined(env *Env, path string) (string, error) {
	if env.Roots == nil {
		return path, nil
	}
	roots, err := env.Roots()
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
