package serve

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"techo/commands/run"
	"techo/commands/system"
	"techo/export"
	"techo/internal/private"
	"techo/tools"
	"techo/tools/message"
)

// tokenFile is the name of the file with the token of the owner.
const tokenFile = "token"

// ownerToken is the token of the owner of a server. techo creates it if no other
// token exists, and keeps it in a file for later starts.
type ownerToken struct {
	secret  string // "" without a token
	file    string // its path
	created bool   // by this start
}

// findOwnerToken returns the token that the servers of this user share. With
// create set it creates a missing token.
func findOwnerToken(s *run.Run, create bool) (ownerToken, *tools.Error) {
	env, dir := s.Env(), filepath.Join(s.System.State(), system.Name)
	if s.System.State() == "" {
		if !create {
			return ownerToken{}, nil
		}
		return ownerToken{}, tokenFileError(env, "", errNoState)
	}
	t := ownerToken{file: filepath.Join(dir, tokenFile)}
	err := t.read(dir, create)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return t, nil
	}
	if err != nil {
		return t, tokenFileError(env, t.file, err)
	}
	return t, nil
}

// read reads the token from its folder, or creates it.
func (t *ownerToken) read(dir string, create bool) error {
	if create {
		if err := createPrivate(dir); err != nil {
			return err
		}
		defer lockFolder(dir)()
	}
	folder, err := private.OpenFolderItself(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	b, err := folder.ReadSecret(tokenFile, 1024)
	if errors.Is(err, fs.ErrNotExist) && create {
		t.secret, t.created = NewToken(), true
		return export.Private(t.file, []byte(t.secret+"\n"))
	}
	if err != nil {
		return err
	}
	if t.secret = strings.TrimSpace(string(b)); !isToken(t.secret) {
		return errNoToken
	}
	return nil
}

// errNoToken is returned for a file without a token.
var errNoToken = message.NewError("the file contains no token")

// tokenFileError returns the error of a server that cannot read or create its
// token.
func tokenFileError(env *tools.Env, path string, err error) *tools.Error {
	code := tools.Unavailable
	if errors.As(err, new(*private.Error)) || errors.As(err, new(*private.NotFileError)) ||
		errors.Is(err, fs.ErrPermission) {
		code = tools.Forbidden
	}
	e := env.Fail(code, "The server's token cannot be used: %v", err)
	if path == "" {
		return e.WithHint(env.Hint("Set TECHO_TOKEN to a long random text, or listen on unix:PATH"))
	}
	return e.WithHint(env.Hint("Remove %s so that another one is created, or set TECHO_TOKEN", path))
}
