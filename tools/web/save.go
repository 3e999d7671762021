package web

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"techo/export"
	"techo/tools"
)

// target opens the file for --save, or returns nil without one. It runs before the
// fetch, so that errors are cheap.
func (f *fetch) target() (*export.Target, error) {
	path := f.env.Web.Save
	if path == "" {
		return nil, nil
	}
	var roots []*os.Root
	if f.env.Roots != nil {
		var err error
		if roots, err = f.env.Roots(); err != nil {
			return nil, err
		}
	}
	t, err := export.NewTarget(roots, path, f.env.Web.Overwrite)
	return t, f.saveError(err)
}

// save writes the complete body to the file, or nothing.
func (f *fetch) save(to *export.Target, r *response) error {
	switch {
	case r.large:
		return f.env.Fail(tools.LimitExceeded, "the body has more than %d MB; nothing was saved", maxSaved>>20)
	case r.incomplete:
		e := f.env.Fail(tools.Upstream, "the body broke off after %s; nothing was saved",
			f.env.Count(len(r.body), "%d byte", "%d bytes"))
		e.Retryable = true
		return e
	}
	return f.saveError(to.Write(r.body))
}

// saveError explains why a file cannot be written.
func (f *fetch) saveError(err error) error {
	path := f.env.Web.Save
	reason := new(fs.PathError)
	switch {
	case err == nil || errors.Is(err, syscall.ENOSPC):
		return err
	case errors.As(err, new(*export.OutsideError)):
		return f.env.Fail(tools.Forbidden, "%s is outside of the allowed folders", path).
			WithHint(f.env.Localize("Name a file in one of --root"))
	case errors.Is(err, fs.ErrExist):
		return f.env.Fail(tools.AlreadyExists, "%s exists already; nothing was saved", path).
			WithHint(f.env.Localize("Name another file, or replace this one with --force"))
	case errors.As(err, &reason):
		e := f.env.Fail(tools.InvalidInput, "cannot write %s: %v", path, reason.Err)
		e.Details = []tools.Detail{{Path: "/save", Message: e.Message}}
		return e.WithHint(f.env.Localize("Name a file in a folder that is there"))
	}
	return err
}
