// Package failure has the form of failed calls, which is the same on every interface.
package failure

import (
	"time"

	"techo/tools/jsontree"
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
	Limit bool `json:"-"` // a limit was exceeded, which matters only if the input is valid otherwise
}

func (e *Error) Error() string { return e.Message }

// Localized returns the message: it is in the caller's language already.
func (e *Error) Localized() string { return e.Message }

// WithHint sets the hint and returns e.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// Shorten returns the error cut to maxBytes bytes of JSON; 0 means unlimited. It
// drops the last details first, then cuts texts.
func (e *Error) Shorten(maxBytes int) *Error {
	const around = len(`{"error":}`)
	size := func(e *Error) int {
		b, err := jsontree.Marshal(e)
		if err != nil {
			panic(err) // an Error has only strings and a bool
		}
		return len(b) + around
	}
	if maxBytes <= 0 || size(e) <= maxBytes {
		return e
	}
	short := *e
	short.Details = append([]Detail(nil), e.Details...)
	for limit := maxBytes / 2; limit >= 16; limit /= 2 {
		short.Message, short.Hint, short.Tool = shortText(e.Message, limit), shortText(e.Hint, limit),
			shortText(e.Tool, limit)
		for i, d := range e.Details[:len(short.Details)] {
			short.Details[i] = Detail{Path: shortText(d.Path, limit), Message: shortText(d.Message, limit),
				Hint: shortText(d.Hint, limit)}
		}
		if limit > maxBytes/8 {
			continue // a few details with full texts are more useful
		}
		for len(short.Details) > 1 && size(&short) > maxBytes {
			short.Details = short.Details[:len(short.Details)*3/4]
		}
		if size(&short) <= maxBytes {
			return &short
		}
	}
	short.Details = nil
	return &short
}

func shortText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return jsontree.Cut(text, limit-len("…")) + "…"
}
