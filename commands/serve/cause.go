package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"syscall"

	"techo/internal/private"
	"techo/tools"
)

// pathLengthError is returned for a socket whose path is too long.
type pathLengthError struct{ bytes int }

func (e *pathLengthError) Error() string {
	return fmt.Sprintf("the path of the socket has %d bytes", e.bytes)
}

// cause describes an error of the system in the caller's language. Errors that
// have no translation stay as they are.
func cause(env *tools.Env, err error) string {
	var (
		unsafe  *private.Error
		notFile *private.NotFileError
		length  *pathLengthError
		address *net.AddrError
		lookup  *net.DNSError
	)
	switch {
	case errors.As(err, &unsafe):
		return unsafeCause(env, unsafe)
	case errors.As(err, &notFile):
		return env.Localize("%s: not a file", notFile.Path)
	case errors.As(err, &length):
		return env.Localize("the path of a socket has at most %d bytes, this one %d", maxSocketPath, length.bytes)
	case errors.As(err, &address):
		return addressCause(env, address)
	case errors.As(err, &lookup):
		return env.Localize("the host %q was not found", lookup.Name)
	}
	i := slices.IndexFunc(causes, func(c causeText) bool { return errors.Is(err, c.err) })
	if i < 0 {
		return err.Error()
	}
	text := env.Localize(causes[i].text)
	if in := new(fs.PathError); errors.As(err, &in) {
		return in.Path + ": " + text
	}
	return text
}

// causeText is the text of an error.
type causeText struct {
	err  error
	text tools.Text
}

// causes are the errors whose text names no other value than their path.
var causes = []causeText{
	{errNoState, "neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME is set"},
	{errNoToken, "the file contains no token"},
	{syscall.EADDRNOTAVAIL, "this machine does not have the address"},
	{syscall.ENOENT, "no such file or folder"},
	{syscall.ENOTDIR, "not a folder"},
	{syscall.EACCES, "permission denied"},
	{syscall.EPERM, "permission denied"},
	{syscall.EROFS, "the file system is read-only"},
	{syscall.ENOSPC, "the disk is full"},
}

// unsafeCause describes a folder or file that another user could control.
func unsafeCause(env *tools.Env, e *private.Error) string {
	return env.Localize(map[private.Reason]tools.Text{
		private.Link:     "%s: is a link",
		private.Owner:    "%s: belongs to another user",
		private.Readable: "%s: other users may read it",
		private.Writable: "%s: other users may write to it",
	}[e.Reason], e.Path)
}

// addressCause describes an address that package net does not parse.
func addressCause(env *tools.Env, e *net.AddrError) string {
	switch e.Err {
	case "missing port in address":
		return env.Localize("missing port in %q", e.Addr)
	case "invalid port":
		return env.Localize("invalid port %q", e.Addr)
	}
	return env.Localize("%q is not HOST:PORT", e.Addr)
}
