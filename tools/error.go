package tools

import (
	"context"
	"errors"
	"syscall"

	"techo/tools/failure"
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

// ErrTimeout is the cause of a context whose --timeout expired.
var ErrTimeout = errors.New("timeout")

// AsError converts any error of a tool or the store.
func AsError(env *Env, err error) *Error {
	if e := new(Error); errors.As(err, &e) {
		return e
	}
	if e := storeError(env, err); e != nil {
		return e
	}
	switch {
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return env.Fail(Timeout, "The time given by --timeout ran out").
			WithHint(env.Hint("Allow more time, e.g. --timeout 60s"))
	case errors.Is(err, context.Canceled):
		return env.Fail(Cancelled, "Interrupted")
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return tooFewFiles(env)
	}
	return env.Fail(Internal, "techo failed: %v", err)
}

// tooFewFiles returns the error for a process that has reached its limit of open
// files.
func tooFewFiles(env *Env) *Error {
	e := env.Fail(LimitExceeded, "The system's limit of open files is reached").
		WithHint(env.Hint("Raise the limit, e.g. ulimit -n 1024, and run it again"))
	e.Retryable = true
	return e
}

// DidYouMean returns a hint with similar names, the best match first, or ""
// without names.
func (env *Env) DidYouMean(names []string) string { return env.Lang.DidYouMean(names) }
