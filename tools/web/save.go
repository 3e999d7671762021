package web

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"techo/export"
	"techo/tools"
	"techo/tools/internet"
)

// openTarget opens the file for --save, or returns nil without one. It runs before
// the fetch, so that errors are cheap.
func (f *fetch) openTarget() (*export.Target, error) {
	path := internet.Of(f.env).Save
	if path == "" {
		return nil, nil
	}
	roots, err := tools.Roots(f.env)
	if err != nil {
		return nil, err
	}
	t, err := export.NewTarget(roots, path, internet.Of(f.env).Overwrite, internet.Of(f.env).Parents)
	return t, f.saveError(err)
}

// relative returns folders as the file tools show them: in the working folder relative to it.
func relative(env *tools.Env, folders []string) (shown []string) {
	here := env.Dir
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	for _, folder := range folders {
		for _, dir := range []string{env.Dir, here} { // within roots, folders have no links
			if short, err := filepath.Rel(dir, folder); err == nil && filepath.IsLocal(short) {
				folder = short
				break
			}
		}
		shown = append(shown, filepath.ToSlash(folder))
	}
	return shown
}

// save writes the complete body to the file, or nothing.
func (f *fetch) save(to *export.Target, r *response) error {
	switch {
	case r.large:
		return f.env.Fail(tools.LimitExceeded, "the body has more than %d MB; nothing was saved", maxSaved>>20)
	case r.incomplete:
		e := f.env.Fail(tools.Upstream, "the body ended early, after %s; nothing was saved",
			f.env.Count(len(r.body), "%d byte", "%d bytes"))
		e.Retryable = true
		return e
	}
	return f.saveError(to.Write(r.body))
}

// saveError explains why a file cannot be written.
func (f *fetch) saveError(err error) error {
	path := internet.Of(f.env).Save
	reason := new(fs.PathError)
	switch {
	case err == nil || errors.Is(err, syscall.ENOSPC):
		return err
	case errors.As(err, new(*export.OutsideError)):
		return tools.Outside(f.env, path).WithHint(f.env.Hint("Use a file in a %s folder", tools.Flag("root")))
	case errors.Is(err, fs.ErrExist):
		return f.env.Fail(tools.AlreadyExists, "%s already exists; nothing was saved", path).
			WithHint(f.env.Hint("Use another file, or %s to replace it", tools.Flag("force")))
	case errors.As(err, &reason):
		e := f.env.Fail(tools.InvalidInput, "cannot write %s: %v", path, reason.Err)
		e.Details = []tools.Detail{{Path: "/save", Message: e.Message}}
		return e.WithHint(f.env.Hint("Use a file in an existing folder"))
	}
	return err
}
