package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"techo/internal/confine"
	"techo/internal/regular"
	"techo/tools/failure"
	"techo/tools/schema"
)

// Error is a failed call, Code its class, Detail one of its problems.
type (
	Error  = failure.Error
	Code   = failure.Code
	Detail = failure.Detail
)

// The codes of failures.
const (
	InvalidInput  = failure.InvalidInput
	NotFound      = failure.NotFound
	Unavailable   = failure.Unavailable
	Forbidden     = failure.Forbidden
	AlreadyExists = failure.AlreadyExists
	Conflict      = failure.Conflict
	LimitExceeded = failure.LimitExceeded
	Busy          = failure.Busy
	Upstream      = failure.Upstream
	RateLimited   = failure.RateLimited
	NoSpace       = failure.NoSpace
	Corrupt       = failure.Corrupt
	Internal      = failure.Internal
	Timeout       = failure.Timeout
	Cancelled     = failure.Cancelled
)

// Fail returns an error with a message in the caller's language.
func (env *Env) Fail(code Code, message Text, args ...any) *Error {
	return &Error{Code: code, Message: message.In(env.Lang, args...), Retryable: code == Busy || code == RateLimited ||
		code == Timeout}
}

// Invalid is Fail for one field of an input, which path names.
func (env *Env) Invalid(path string, message Text, args ...any) *Error {
	e := env.Fail(InvalidInput, message, args...)
	e.Details = []Detail{{Path: path, Message: e.Message}}
	return e
}

// ErrTimeout is the cause of a context whose --timeout expired.
var ErrTimeout = errors.New("timeout")

// AsError converts any error of a tool or the store.
func AsError(env *Env, err error) *Error {
	if e := new(Error); errors.As(err, &e) {
		return e
	}
	if e := env.storeError(err); e != nil {
		return e
	}
	switch {
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return env.Fail(Timeout, "The time given by --timeout ran out").
			WithHint(env.Hint("Allow more time, e.g. %s", Flag("timeout", "60s")))
	case errors.Is(err, context.Canceled):
		return env.Fail(Cancelled, "Interrupted")
	}
	if e := env.irregular(err); e != nil {
		return e
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return env.tooFewFiles()
	}
	return env.Fail(Internal, "techo failed: %v", err)
}

// irregular returns the error for something that is no regular file, too large, or outside of the roots, or nil.
func (env *Env) irregular(err error) *Error {
	at, large := new(fs.PathError), new(regular.TooLargeError)
	if !errors.As(err, &at) {
		return nil
	}
	switch {
	case confine.Escapes(err): // a link appeared after the path was checked
		return Outside(env, at.Path)
	case errors.Is(err, regular.ErrNotFile):
		return env.Fail(Forbidden, "%s is not a regular file", at.Path).
			WithHint(env.Hint("Folders, pipes and devices are not read here; name a file"))
	case errors.As(err, &large):
		return env.Fail(LimitExceeded, "%s has %d bytes; at most %d are allowed", at.Path, large.Size, large.Most)
	}
	return nil
}

// tooFewFiles returns the error for a process that has reached its limit of open
// files.
func (env *Env) tooFewFiles() *Error {
	e := env.Fail(LimitExceeded, "The system's limit of open files is reached").
		WithHint(env.Hint("Raise the limit, e.g. ulimit -n 1024, and run it again"))
	e.Retryable = true
	return e
}

// DidYouMean returns a hint with similar names, the best match first, or ""
// without names.
func (env *Env) DidYouMean(names []string) string { return env.Lang.DidYouMean(names) }

// AsError converts an error to one that names the tool.
func (t *Tool) AsError(env *Env, err error) *Error { return t.named(AsError(env, err)) }

// named returns a copy of the error that names the tool, or the command without a tool.
func (t *Tool) named(err *Error) *Error {
	e := *err
	e.Tool = cmp.Or(t.Name, t.Command)
	return &e
}

// Accept validates an input without calling the tool. It returns the input in
// normal form, or an error with all problems, including the ones that the caller
// has found.
func (t *Tool) Accept(env *Env, input []byte, found ...Detail) ([]byte, *Error) {
	input, _, problems := t.Reader().Read(env, input)
	if problems = append(found, problems...); len(problems) > 0 {
		return nil, t.named(t.invalid(env, problems))
	}
	return input, nil
}

// Decode validates a JSON document like the input of a tool whose input is T, and
// decodes it. The error lists all problems.
func Decode[T any](env *Env, document []byte) (in T, invalid *Error) {
	document, problems := schema.Validate(env, schema.InputOf(reflect.TypeFor[T](), ""), document)
	if len(problems) > 0 {
		return in, InvalidError(env, problems)
	}
	if err := json.Unmarshal(document, &in); err != nil {
		return in, AsError(env, fmt.Errorf("validated input does not fit: %w", err))
	}
	return in, nil
}

// reject returns the error for an invalid call.
func (t *Tool) reject(env *Env, input []byte, problems []Detail) *Error {
	if t.Forbidden != nil {
		if e := t.Forbidden(env, t.Reader().Converted(input)); e != nil {
			return e
		}
	}
	return t.invalid(env, problems)
}

// invalid returns one error for all problems of an input.
func (t *Tool) invalid(env *Env, problems []Detail) *Error {
	return t.sentence(env, InvalidError(env, problems)).(*Error)
}

// InvalidError returns an error whose message lists all problems of an input.
// Its hint is the first hint of a problem. Limits are reported if there is no other problem.
func InvalidError(env *Env, problems []Detail) *Error {
	code := LimitExceeded
	if others := slices.DeleteFunc(slices.Clone(problems), func(d Detail) bool { return d.Limit }); len(others) > 0 {
		code, problems = InvalidInput, others
	}
	texts := make([]string, len(problems))
	hint := ""
	for i, p := range problems {
		texts[i] = env.problemText(p)
		if hint == "" {
			hint = p.Hint
		}
	}
	return &Error{Code: code, Message: strings.Join(texts, "; "), Details: problems, Hint: hint}
}

// InvalidField refuses one field of an input, named by a JSON pointer.
func InvalidField(env *Env, field string, message Text, args ...any) *Error {
	return InvalidError(env, []Detail{{Path: field, Message: env.Localize(message, args...)}})
}

// problemText returns a problem as a part of a sentence, with the field's name unless the message has it.
func (env *Env) problemText(d Detail) string {
	if d.Named {
		return d.Message
	}
	if env.Lang == Japanese && d.Path != "" {
		return strings.TrimPrefix(d.Path, "/") + ": " + d.Message
	}
	return strings.TrimSpace(strings.TrimPrefix(d.Path, "/") + " " + d.Message)
}

// sentence wraps the message of an invalid input, or of an exceeded limit, into
// the tool's own sentence. Without a hint it gets the tool's.
func (t *Tool) sentence(env *Env, err error) error {
	e := AsError(env, err)
	if e.Code != InvalidInput && e.Code != LimitExceeded {
		return err
	}
	wrapped := *e
	if t.Refused != "" {
		wrapped.Message = t.Refused.In(env.Lang, e.Message)
	}
	if e.Hint == "" && t.Command != "" {
		wrapped.Hint = HelpHint(env, t)
	}
	return &wrapped
}
