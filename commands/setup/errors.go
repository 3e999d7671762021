package setup

import (
	"errors"
	"io/fs"

	"techo/internal/splice"
	"techo/tools"
)

// errNoHome reports that the places of the person's files are unknown.
var errNoHome = errors.New("HOME is not set")

// noHome is the error for errNoHome.
func noHome(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "HOME is not set").WithHint(env.Hint("Set it, or use --project"))
}

// failed returns the error for a file that cannot be changed. No file was changed.
func failed(env *tools.Env, err error) error {
	syntax, outside := new(SyntaxError), new(OutsideError)
	foreign, other, quote := new(ForeignError), new(NotFileError), new(QuoteError)
	switch {
	case errors.Is(err, errNoHome):
		return noHome(env)
	case errors.Is(err, errChanged):
		return env.Fail(tools.Conflict, "A file was changed by another program meanwhile").
			WithHint(env.Hint("Run it again"))
	case errors.As(err, &syntax) && errors.Is(err, splice.ErrShape):
		return env.Fail(tools.Conflict, "%s was not changed, because its structure is not the expected one",
			syntax.Path).WithHint(env.Hint("Move the file away, or correct it, and run it again"))
	case errors.As(err, &syntax):
		return env.Fail(tools.Conflict, "%s was not changed, because it cannot be parsed", syntax.Path).
			WithHint(env.Hint("Correct the file and run it again: %v", syntax.Err))
	case errors.As(err, &outside):
		return env.Fail(tools.Forbidden, "%s was not changed: a link leads out of the project", outside.Path).
			WithHint(env.Hint("Replace the link by a file"))
	case errors.As(err, &quote):
		return env.Fail(tools.InvalidInput, "A hook cannot have these characters in its command line: %s", quote.Line).
			WithHint(env.Hint("Leave the hooks out: --no-hooks"))
	case errors.As(err, &foreign):
		return env.Fail(tools.Conflict, "%s was not changed: techo did not write it", foreign.Path).
			WithHint(env.Hint("Move it away and run it again, or leave it out: --no-skill"))
	case errors.As(err, &other):
		return env.Fail(tools.Conflict, "%s is not a file", other.Path).
			WithHint(env.Hint("Remove it and run it again"))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, "No permission: %v", err)
	}
	return err
}
