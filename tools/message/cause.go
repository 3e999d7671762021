package message

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"regexp/syntax"
	"strings"
	"syscall"

	"techo/internal/neterr"
	"techo/internal/private"
	"techo/internal/recur"
)

// localizedError is an error with a text in every language.
type localizedError struct {
	text Text
	args []any
}

// NewError returns an error whose text is translated when it is the argument of
// another text, or is passed to Lang.Cause.
func NewError(text Text, args ...any) error { return &localizedError{text, args} }

func (e *localizedError) Error() string { return e.text.In(English, e.args...) }

// Unwrap returns the errors among the arguments.
func (e *localizedError) Unwrap() (all []error) {
	for _, arg := range e.args {
		if err, ok := arg.(error); ok {
			all = append(all, err)
		}
	}
	return all
}

// Cause describes an error of the system or of a library in the language. An error that
// has no text of its own keeps the text of Go.
func (l Lang) Cause(err error) string {
	if text := knownCause(l, err); text != "" {
		return text
	}
	return err.Error()
}

// knownCause returns "" for an error without a text of its own.
func knownCause(lang Lang, err error) string {
	switch e := err.(type) {
	case interface{ Localized() string }:
		return e.Localized()
	case *localizedError:
		return e.text.In(lang, e.args...)
	case *private.Error:
		return unsafeCause(lang, e)
	case *private.NotFileError:
		return Text("%s: not a file").In(lang, e.Path)
	case *recur.Error:
		return Text(e.Reason).In(lang, e.Args...)
	case *json.SyntaxError:
		return jsonCause(lang, e.Error())
	case *DecodeError:
		return cmp.Or(jsonCause(lang, e.Error()), knownCause(lang, e.Err))
	case *syntax.Error:
		return lang.RegexpReason(e.Code) + ": " + e.Expr
	case *net.AddrError:
		return addressCause(lang, e)
	case *net.DNSError:
		return Text("the host %q was not found").In(lang, e.Name)
	case *fs.PathError:
		return about(e.Path, knownCause(lang, e.Err))
	case *os.LinkError:
		return about(e.New, knownCause(lang, e.Err))
	case *url.Error:
		if closed := ClosedCause(e.Err); closed != "" {
			return about(e.URL, closed.In(lang))
		}
		return about(e.URL, knownCause(lang, e.Err))
	case *os.SyscallError:
		return knownCause(lang, e.Err)
	case *net.OpError:
		return knownCause(lang, e.Err)
	}
	if inner := errors.Unwrap(err); inner != nil {
		before, ok := strings.CutSuffix(err.Error(), inner.Error())
		if text := knownCause(lang, inner); ok && text != "" {
			return before + text
		}
		return ""
	}
	if _, several := err.(interface{ Unwrap() []error }); several {
		return "" // one of them is not the whole cause
	}
	for _, c := range plainCauses() {
		if errors.Is(err, c.err) {
			return c.text.In(lang)
		}
	}
	return ""
}

// ClosedCause describes the error of a request whose connection the server closed, or returns "".
func ClosedCause(err error) Text {
	switch {
	case errors.Is(err, io.EOF):
		return "the server closed the connection without an answer"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection before its answer was complete"
	}
	return ""
}

// about puts the name of the thing that failed before the cause, unless that is
// "".
func about(name, text string) string {
	if text == "" {
		return ""
	}
	return name + ": " + text
}

// plainCause is the text of an error that wraps no other.
type plainCause struct {
	err  error
	text Text
}

// plainCauses returns the errors whose text names no value. The errors of package
// fs match the errors of all systems, so they precede the numbers of Unix.
func plainCauses() []plainCause {
	return []plainCause{
		{fs.ErrNotExist, "no such file or folder"},
		{fs.ErrPermission, "permission denied"},
		{syscall.ENOTEMPTY, "the folder is not empty"}, // also matches fs.ErrExist
		{fs.ErrExist, "already exists"},
		{fs.ErrClosed, "already closed"},
		{syscall.ENOTDIR, "not a folder"},
		{syscall.EISDIR, "is a folder"},
		{syscall.EROFS, "the file system is read-only"},
		{syscall.ENOSPC, "the disk is full"},
		{syscall.EIO, "input/output error"},
		{syscall.ELOOP, "too many links"},
		{syscall.ENAMETOOLONG, "the name is too long"},
		{syscall.EINVAL, "invalid argument"},
		{syscall.EMFILE, "too many open files"},
		{syscall.ENFILE, "too many open files"},
		{syscall.EADDRNOTAVAIL, "this machine does not have the address"},
		{syscall.ECONNREFUSED, "the connection was refused"},
		{syscall.ECONNRESET, "the connection was reset"},
		{syscall.EPIPE, "the connection was closed"},
		{syscall.ENETUNREACH, "the network cannot be reached"},
		{syscall.EHOSTUNREACH, "the host cannot be reached"},
		{syscall.ETIMEDOUT, "no response in time"},
		{neterr.WasRefused, "the connection was refused"},
		{neterr.WasReset, "the connection was reset"},
		{neterr.Aborted, "the connection was closed"},
		{neterr.Unreachable, "the network cannot be reached"},
		{neterr.NoRoute, "the host cannot be reached"},
		{neterr.TimedOut, "no response in time"},
		{context.DeadlineExceeded, "no response in time"},
		{os.ErrDeadlineExceeded, "no response in time"},
		{io.ErrUnexpectedEOF, "ends too early"},
		{io.EOF, "ends too early"},
	}
}

// unsafeCause describes a folder or file that another user could control.
func unsafeCause(lang Lang, e *private.Error) string {
	return map[private.Reason]Text{
		private.Link:     "%s: is a link",
		private.Owner:    "%s: belongs to another user",
		private.Readable: "%s: other users may read it",
		private.Writable: "%s: other users may write to it",
	}[e.Reason].In(lang, e.Path)
}

// addressCause describes an address that package net does not parse.
func addressCause(lang Lang, e *net.AddrError) string {
	switch e.Err {
	case "missing port in address":
		return Text("missing port in %q").In(lang, e.Addr)
	case "invalid port":
		return Text("invalid port %q").In(lang, e.Addr)
	}
	return Text("%q is not HOST:PORT").In(lang, e.Addr)
}

// RegexpReason describes an error in a regular expression.
func (l Lang) RegexpReason(code syntax.ErrorCode) string {
	text := map[syntax.ErrorCode]Text{
		syntax.ErrInvalidCharClass:      "invalid character class",
		syntax.ErrInvalidCharRange:      "invalid character class range",
		syntax.ErrInvalidEscape:         "invalid escape sequence",
		syntax.ErrInvalidNamedCapture:   "invalid named capture",
		syntax.ErrInvalidPerlOp:         "invalid or unsupported Perl syntax",
		syntax.ErrInvalidRepeatOp:       "invalid nested repetition operator",
		syntax.ErrInvalidRepeatSize:     "invalid repeat count",
		syntax.ErrInvalidUTF8:           "invalid UTF-8",
		syntax.ErrMissingBracket:        "missing closing ]",
		syntax.ErrMissingParen:          "missing closing )",
		syntax.ErrMissingRepeatArgument: "missing argument to repetition operator",
		syntax.ErrTrailingBackslash:     "trailing backslash at end of expression",
		syntax.ErrUnexpectedParen:       "unexpected )",
		syntax.ErrNestingDepth:          "expression nests too deeply",
		syntax.ErrLarge:                 "expression too large",
	}[code]
	if text == "" {
		return code.String()
	}
	return text.In(l)
}

// DecodeError is the reason why package jsontext does not decode a document. The
// package does not export the types of its reasons.
type DecodeError struct{ Err error }

func (e *DecodeError) Error() string { return e.Err.Error() }

func (e *DecodeError) Unwrap() error { return e.Err }

// jsonFault is a text of package jsontext or encoding/json, and its meaning.
type jsonFault struct {
	library string
	text    Text
}

// jsonCause describes a JSON decoder's error. It returns "" for a text that it does not
// know.
func jsonCause(lang Lang, text string) string {
	if rest, ok := strings.CutPrefix(text, "invalid character "); ok {
		return characterCause(lang, rest)
	}
	if rest, ok := strings.CutPrefix(text, "invalid escape sequence "); ok {
		return Text("invalid escape sequence %s in a string").In(lang, strings.TrimSuffix(rest, " in string"))
	}
	for _, known := range []jsonFault{
		{"unexpected end of JSON input", "ends too early"},
		{"object member name must be a string", "a name in an object must be a string"},
		{"missing value after object name", "a name in an object has no value"},
		{"mismatching structural token for object or array", "the brackets do not match"},
		{"exceeded max depth", "nested too deeply"},
	} {
		if text == known.library {
			return known.text.In(lang)
		}
	}
	return ""
}

// characterCause describes the rest of a text after "invalid character ": the quoted
// character and its place.
func characterCause(lang Lang, rest string) string {
	const (
		value   Text = "unexpected character %s where a value should begin"
		colon   Text = "unexpected character %s after a name, instead of ':'"
		member  Text = "unexpected character %s after a value in an object, instead of ',' or '}'"
		element Text = "unexpected character %s after a value in an array, instead of ',' or ']'"
		control Text = "control character %s in a string"
		digit   Text = "unexpected character %s in a number, instead of a digit"
	)
	for _, place := range []jsonFault{
		{"at start of value", value},
		{"looking for beginning of value", value},
		{"after top-level value", "unexpected character %s after the value"},
		{"looking for beginning of object key string", "unexpected character %s where a name should begin"},
		{"after object name (expecting ':')", colon},
		{"after object key", colon},
		{"after object value (expecting ',' or '}')", member},
		{"after object key:value pair", member},
		{"after array element (expecting ',' or ']')", element},
		{"after array element", element},
		{"in string (expecting non-control character)", control},
		{"in string literal", control},
		{"in string escape code", "unexpected character %s in an escape sequence"},
		{"in number (expecting digit)", digit},
		{"in numeric literal", digit},
	} {
		if char, ok := strings.CutSuffix(rest, " "+place.library); ok {
			return place.text.In(lang, char)
		}
	}
	if char, literal, ok := strings.Cut(rest, " in literal "); ok {
		literal, want, _ := strings.Cut(strings.TrimSuffix(literal, ")"), " (expecting ")
		return Text("unexpected character %s in %s, instead of %s").In(lang, char, literal, want)
	}
	return Text("unexpected character %s").In(lang, rest)
}
