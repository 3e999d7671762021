package paths

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"techo/tools"
)

// BelongsToStore refuses to change a file of the store. Overwriting it would
// destroy data.
func BelongsToStore(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.Forbidden, "%s belongs to techo's store, which only techo's own commands may change", path).
		WithHint(env.Hint("Use the commands for memos, memories and events; %s makes a copy",
			tools.Use("store backup")))
}

// Offers reports whether the caller has a tool. A shell has all.
func Offers(env *tools.Env, name string) bool {
	return env.Naming == nil || slices.ContainsFunc(env.Tools, func(t *tools.Tool) bool {
		return t.Name == name && (t.When == nil || t.When(env) == nil)
	})
}

// LookForIt returns the hint for a missing path.
func LookForIt(env *tools.Env) string {
	if Offers(env, "glob") {
		return env.Hint("Look for it with %s", tools.Use("fs glob"))
	}
	return env.Hint("Check the path; a relative one begins in the working folder")
}

// Error converts a system error about a path to a tools.Error. It returns
// unknown errors unchanged.
func Error(env *tools.Env, path string, err error) error {
	switch {
	case err == nil, errors.As(err, new(*tools.Error)):
		return err
	case escapes(err):
		return tools.Outside(env, path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), isInvalidName(err):
		return env.Fail(tools.NotFound, "File not found: %s", path).
			WithHint(LookForIt(env))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, "No permission for %s: %v", path, cause(err))
	case isInUse(err):
		return env.Fail(tools.Busy, "%s is being changed by another process", path)
	case errors.Is(err, syscall.ETXTBSY):
		return env.Fail(tools.Conflict, "%s is a running program", path)
	case errors.Is(err, syscall.EROFS):
		return env.Fail(tools.Forbidden, "%s is on a read-only file system", path)
	case IsFull(err):
		return env.Fail(tools.NoSpace, "The disk is full; %s was not changed", path).
			WithHint(env.Hint("Free some space and run it again"))
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG),
		strings.Contains(err.Error(), "too many links"):
		return tools.InvalidField(env, "/path", "cannot be resolved: %v", cause(err))
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
