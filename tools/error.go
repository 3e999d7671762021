package tools

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"time"
)

// Code classifies a failure. The list is closed: each interface maps every code to an
// exit code, an HTTP status or a protocol error.
type Code string

// The codes of failures.
const (
	InvalidInput  Code = "invalid_input"  // a flag, argument or field is unknown, missing or out of range
	NotFound      Code = "not_found"      // the thing does not exist
	Unavailable   Code = "unavailable"    // disabled here, or credentials are missing
	Forbidden     Code = "forbidden"      // not allowed
	AlreadyExists Code = "already_exists" // the name is taken
	Conflict      Code = "conflict"       // the object changed, or its place is taken
	LimitExceeded Code = "limit_exceeded" // a limit was exceeded
	Busy          Code = "busy"           // the store stayed locked until the deadline
	Upstream      Code = "upstream"       // another service failed
	RateLimited   Code = "rate_limited"   // too many calls
	NoSpace       Code = "no_space"       // the disk is full; nothing was changed
	Corrupt       Code = "corrupt"        // the store is damaged
	Internal      Code = "internal"       // a bug in techo
	Timeout       Code = "timeout"        // the call's timeout expired
	Cancelled     Code = "cancelled"      // interrupted
)

// Known reports whether a code is one of the list.
func (c Code) Known() bool {
	switch c {
	case InvalidInput, NotFound, Unavailable, Forbidden, AlreadyExists, Conflict, LimitExceeded, Busy, Upstream,
		RateLimited, NoSpace, Corrupt, Internal, Timeout, Cancelled:
		return true
	}
	return false
}

// Error is a failed call, in the same form on every interface.
type Error struct {
	Code      Code     `json:"code"`
	Message   string   `json:"message"`
	Hint      string   `json:"hint,omitempty"` // what to do next, usually a command
	Tool      string   `json:"tool,omitempty"` // its name for agents, or the words of the command
	Retryable bool     `json:"retryable"`      // the same call may succeed later
	Details   []Detail `json:"details,omitempty"`

	RetryAfter time.Duration `json:"-"` // when the same call may succeed; 0 means unknown
}

// Detail is one of several problems, or a fact about the only one.
type Detail struct {
	Path    string `json:"path"` // JSON pointer into the input; "" is the whole input
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`

	Named bool `json:"-"` // the message names the field itself
}

func (e *Error) Error() string { return e.Message }

// Fail returns an error with a message in the caller's language.
func (env *Env) Fail(code Code, message Text, args ...any) *Error {
	return &Error{Code: code, Message: message.In(env.Lang, args...), Retryable: code == Busy || code == RateLimited ||
		code == Timeout}
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
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
func (env *Env) DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := "'" + strings.Join(names, "', '") + "'"
	if env.Lang == Japanese {
		quoted = "「" + strings.Join(names, "」「") + "」"
	}
	return env.Localize("Did you mean %s?", quoted)
}
